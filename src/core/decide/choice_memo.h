// ChoiceMemo: what the chooser has answered before.
//
// An answer depends on how a node is wired, on who may be given what there, and on the request, and
// on nothing else. So nodes of one model with the same GPUs free share one answer, however many
// they are and from one decision to the next, and it never goes out of date.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/decide/devices/choice.h"
#include "core/decide/devices/table.h"
#include "core/decide/devices/topology.h"
#include "core/model/reason.h"

namespace gs::decide {

class ChoiceMemo {
 public:
  struct Answer {
    devices::Outcome outcome;
    model::Reason why_not{};  // in words, where there is no set
  };

  // As devices::Choose. The answer stays until the next call. Topologies are told apart by where
  // they are: equal ones that are not the same only cost more.
  [[nodiscard]] const Answer& Choose(const std::shared_ptr<const devices::Topology>& topology,
                                     const devices::Availability& availability,
                                     const devices::Request& request,
                                     const devices::TableCache& tables);

 private:
  struct State {
    std::shared_ptr<const devices::Topology> topology;
    std::uint64_t unused = 0;
    std::uint64_t unhealthy = 0;

    friend bool operator==(const State&, const State&) = default;
  };
  struct StateHash {
    std::size_t operator()(const State& state) const;
  };
  struct Asked {
    devices::Request request;
    std::unordered_map<State, Answer, StateHash> answers;
  };

  [[nodiscard]] Asked& Of(const devices::Request& request);

  std::vector<Asked> asked_;  // few; the one that is forgotten next comes first
  Answer unkept_;
};

}  // namespace gs::decide
