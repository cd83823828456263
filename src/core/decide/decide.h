// Decide: where one pod goes and which GPUs it gets there, or why it must wait.
//
// Feasibility first, then the cheapest place (see Cost), then the node's name: the same cluster
// gives the same answer every time. All nodes count, not a sample; with an order of them only those
// that may be the cheapest are looked at closely, and the answer is the same.
#pragma once

#include <variant>
#include <vector>

#include "base/ids.h"
#include "core/cache/cache.h"
#include "core/decide/ask.h"
#include "core/decide/node_order.h"
#include "core/decide/place.h"
#include "core/model/allocation.h"
#include "core/model/pod.h"
#include "core/model/reason.h"

namespace gs::decide {

struct Placement {
  NodeName node;
  std::optional<model::Allocation> allocation;  // absent: no GPUs
  cache::VolumeChoice volumes{};                // how it comes to those it does not have yet
};

struct NodeVerdict {
  NodeName node;
  model::Reason reason;
};

struct NoPlace {
  model::Reason reason;            // the one that leads, over all nodes
  std::vector<NodeVerdict> nodes;  // empty where the pod itself is the trouble
};

using Decision = std::variant<Placement, NoPlace>;

// What spares a decision work.
struct Shortcuts {
  NodeOrder* order = nullptr;  // has followed the cache up to now
  // Why the pod had no place a moment ago. If it still has none that is said again, instead of
  // asking every node. Read with an order only.
  const model::Reason* known = nullptr;
};

[[nodiscard]] Decision Decide(const model::Pod& pod, const Ask& ask, const cache::Cache& cache,
                              const PlaceContext& context, const Shortcuts& shortcuts = {});

// One sentence for all nodes: "of 3 nodes none fits: 2 TooFewGpus (node-a: …); 1 NodesExcluded
// (…)". The token furthest down the list leads: it takes only one node, and there the least is
// missing. `nearest`, if given, is the example of the leading group, else its first node.
[[nodiscard]] model::Reason Summarise(const std::vector<NodeVerdict>& nodes,
                                      const NodeName* nearest = nullptr);

}  // namespace gs::decide
