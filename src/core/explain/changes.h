// The search for single changes that would let a pod start.
#pragma once

#include <vector>

#include "core/decide/ask.h"
#include "core/decide/decide.h"
#include "core/explain/change.h"
#include "core/explain/scene.h"
#include "core/model/pod.h"

namespace gs::explain {

// A node that the pod is kept off, and by how many GPUs it misses it.
struct NearMiss {
  std::int64_t gpus_short = 0;  // 0: it is not a matter of numbers
  const decide::NodeVerdict* verdict = nullptr;
  const cache::NodeView* view = nullptr;
};

// Nearest first, then by name. Linear in the nodes.
[[nodiscard]] std::vector<NearMiss> NearMisses(const std::vector<decide::NodeVerdict>& nodes,
                                               const model::Pod& pod, const decide::Ask& ask,
                                               const Scene& scene);

// In the order of Change, a few of each kind; each was tried.
[[nodiscard]] std::vector<Change> FindChanges(const std::vector<NearMiss>& misses,
                                              const model::Pod& pod, const decide::Ask& ask,
                                              const Scene& scene);

// Where the pod itself is the trouble.
[[nodiscard]] std::vector<Change> FindRepairs(const model::Pod& pod, model::ReasonToken trouble,
                                              const Scene& scene);

}  // namespace gs::explain
