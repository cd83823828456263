// ViewStream: what one process is told of one kind: a list, then changes in their order, and after
// some of them how far it has come. As late as the World likes, but in order, and nothing is left
// out.
//
// A list tells the objects by name and not in the order of their changes, one after the other, and
// only at its end how far it reaches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/kube/fence/simulation/server.h"
#include "base/ids.h"
#include "core/model/event.h"

namespace gs::kube::simulation {

class ViewStream {
 public:
  // Leases are watched in one namespace.
  ViewStream(model::Kind kind, Namespace ns) : kind_(kind), ns_(std::move(ns)) {}

  void Relist(const Server& server);
  // The next event; a bookmark if nothing has changed.
  [[nodiscard]] model::Event Next(const Server& server);
  // All there is was told, and how far that is.
  [[nodiscard]] bool IsDone(const Server& server) const;

 private:
  struct Told {
    std::string uid;
    ResourceVersion version;
    model::Event gone;
  };

  [[nodiscard]] const std::vector<Change>& HistoryOf(const Server& server) const;
  void List(const std::string& name, const Told& told, model::Event seen);
  void Note(const model::Event& event);

  model::Kind kind_;
  Namespace ns_;
  std::size_t position_ = 0;          // in the history
  std::deque<model::Event> pending_;  // of a list that is being told
  std::map<std::string, Told> told_;
  std::uint64_t reached_ = 0;  // to be told next; 0: nothing
  std::uint64_t bookmark_ = 0;
};

}  // namespace gs::kube::simulation
