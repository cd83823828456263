// NodeOrder: all nodes in the order of what a pod costs there at least, so that whoever looks for
// the cheapest place need not look at every node.
//
// A pod without GPUs costs the more, the more of a node's CPU is in use. What one with GPUs costs
// depends on how the node is wired and which of its GPUs are free, so nodes that are alike in both
// stand together. Whether a pod may go there at all is not told here.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "core/cache/cache.h"
#include "core/decide/node_gpu_state.h"
#include "core/decide/place.h"

namespace gs::decide {

class NodeOrder {
 public:
  // How the GPUs of a node stand, for whoever wants whole ones.
  struct GpuState {
    std::shared_ptr<const devices::Topology> topology;
    std::uint64_t unused = 0;
    std::uint64_t unhealthy = 0;

    [[nodiscard]] devices::Availability availability() const;
    [[nodiscard]] bool HasFree(std::int32_t count) const {
      return std::popcount(unused & ~unhealthy) >= count;
    }
    friend auto operator<=>(const GpuState&, const GpuState&) = default;
  };

  // Takes note of what has changed: see Cache::TakeChangedNodes.
  void Follow(const std::vector<NodeName>& changed, const cache::Cache& cache,
              TopologyMemo& topologies);

  // With what a pod without GPUs costs at least.
  [[nodiscard]] const std::set<std::pair<Cost, NodeName>>& by_room() const { return by_room_; }
  // Only those whose GPUs can be used.
  [[nodiscard]] const std::map<GpuState, std::set<NodeName>>& by_gpus() const { return by_gpus_; }

 private:
  struct Entry {
    Cost room;
    GpuState gpus;

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  void Take(const NodeName& node, const Entry& entry);
  void Put(const NodeName& node, const Entry& entry);

  std::unordered_map<NodeName, Entry> entries_;
  std::set<std::pair<Cost, NodeName>> by_room_;
  std::map<GpuState, std::set<NodeName>> by_gpus_;
};

}  // namespace gs::decide
