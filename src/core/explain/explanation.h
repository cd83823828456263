// Explanation: why a pod has no place, node by node, and the single changes that would give it one.
//
// Which cause leads: what is wrong with the pod itself, if anything is. Else, of the nodes'
// reasons, the one furthest down the list of model::ReasonToken: it takes only one node to start,
// and there the least is missing. Every change was tried on the changed cluster before it is told,
// together with the pods that wait in front of this one.
//
// Bounded: a few walks over all nodes and a fixed number of tries, however large the cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/decide/ask.h"
#include "core/decide/decide.h"
#include "core/explain/change.h"
#include "core/explain/scene.h"
#include "core/model/pod.h"
#include "core/model/reason.h"

namespace gs::explain {

struct Explanation {
  std::optional<decide::Placement> placement;  // set: it fits, and nothing else is
  model::Reason reason;                        // that leads, with the nodes counted per reason
  std::vector<decide::NodeVerdict> nodes;    // of every node; empty: the pod itself is the trouble
  std::vector<Change> changes;               // any one of them would do, the first is told
  std::optional<std::int64_t> largest_node;  // in GPUs; set: no node of today will ever do
};

[[nodiscard]] Explanation Explain(const model::Pod& pod, const Scene& scene);
// The same where what the pod asks for is known already.
[[nodiscard]] Explanation Explain(const model::Pod& pod, const decide::Ask& ask,
                                  const Scene& scene);

// The reason with what would help: "…; would start when ml/train-3 on node-b ends"
[[nodiscard]] model::Reason ToldReason(const Explanation& explanation);

}  // namespace gs::explain
