// The part of Cache that follows what other releases are committing.
#include <algorithm>
#include <utility>

#include "core/cache/cache.h"

namespace gs::cache {

void Cache::SeeFence(const model::FenceSeen& seen, Changes& changes) {
  std::vector<model::InFlightPod> now;
  for (const auto& other : seen.others) now.push_back(other.in_flight);
  const std::vector<model::InFlightPod> before = std::exchange(fenced_, now);
  for (const model::InFlightPod& each : before) {
    for (const GpuId gpu : each.gpus.ids) {
      NodeFor(each.gpus.node).holders.Remove(gpu, each.pod.uid, Evidence::kFence);
    }
  }
  for (const model::InFlightPod& each : now) {
    for (const GpuId gpu : each.gpus.ids) {
      // Releases take turns at a GPU, so nobody of ours may join meanwhile, whatever the mode.
      NodeFor(each.gpus.node)
          .holders.Add(gpu, each.pod, model::AllocationMode::kExclusive, {}, Evidence::kFence);
    }
  }
  for (const model::InFlightPod& each : before) {
    const NodeView* view = FindNode(each.gpus.node);
    const bool is_freed = std::any_of(each.gpus.ids.begin(), each.gpus.ids.end(), [&](GpuId gpu) {
      return !view->holders.IsHeldBy(gpu, each.pod.uid);
    });
    if (is_freed) TellFreed(each.gpus.node, each.pod, changes);
  }
  for (const model::InFlightPod& each : before) DropIfEmpty(each.gpus.node);
}

}  // namespace gs::cache
