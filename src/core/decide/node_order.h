// NodeOrder: all nodes in the order of what a pod costs there at least, so that whoever looks for
// the cheapest place need not look at every node.
//
// A pod without GPUs costs the more, the more of a node's CPU is in use. What one with GPUs costs
// depends on how the node is wired and which of its GPUs are free: see PriceList. Whether a pod may
// go there at all is not told here.
#pragma once

#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "core/cache/cache.h"
#include "core/decide/free_gpus.h"
#include "core/decide/place.h"
#include "core/decide/price_list.h"

namespace gs::decide {

class NodeOrder {
 public:
  // Takes note of what has changed: see Cache::TakeChangedNodes.
  void Follow(const std::vector<NodeName>& changed, const cache::Cache& cache,
              TopologyMemo& topologies);

  // With what a pod without GPUs costs at least.
  [[nodiscard]] const std::set<std::pair<Cost, NodeName>>& by_room() const { return by_room_; }
  // By the price of what is asked for. Linear in the nodes for whoever asks for the first time in a
  // long while, else in the nodes that have changed since. It stays until the next call.
  [[nodiscard]] const PriceList::Groups& ByPrice(const CountedGpus& asked,
                                                 const PlaceContext& context);

 private:
  struct Entry {
    Cost room;
    FreeGpus gpus;

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  [[nodiscard]] PriceList& ListFor(const CountedGpus& asked);
  void Move(const NodeName& node, const Entry* before, const Entry* after);
  void NotePrices(const NodeName& node, const FreeGpus& before, const FreeGpus& after);

  std::unordered_map<NodeName, Entry> entries_;
  std::set<std::pair<Cost, NodeName>> by_room_;
  std::vector<PriceList> lists_;  // few; the one that was read last comes last
};

}  // namespace gs::decide
