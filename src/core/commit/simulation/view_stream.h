// ViewStream: what one process is told of one kind: a list, then changes in their order, from time
// to time how far it has come. As late as the World likes, but in order, and nothing is left out.
//
// A list tells the objects by name and not in the order of their changes, one after the other, and
// only at its end how far it reaches.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "core/commit/simulation/server.h"
#include "core/model/event.h"

namespace gs::commit::simulation {

class ViewStream {
 public:
  explicit ViewStream(model::Kind kind) : kind_(kind) {}

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
  std::size_t position_ = 0;          // in the history
  std::deque<model::Event> pending_;  // of a list that is being told
  std::map<std::string, Told> told_;
  std::uint64_t bookmark_ = 0;
};

}  // namespace gs::commit::simulation
