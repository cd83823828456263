// The part of Cache that follows what other releases are committing.
#include <algorithm>
#include <utility>

#include "core/cache/cache.h"

namespace gs::cache {

using model::InFlightPod;

void Cache::SeeFence(const model::FenceSeen& seen, Changes& changes) {
  const auto before = std::exchange(fenced_, seen.others);
  for (const auto& other : before) FreeOf(other.in_flight);
  for (const auto& other : fenced_) TakeFor(other);
  for (const auto& [entry, is_silent, scheduler] : before) {
    if (HasLeftRoom(entry)) TellFreed(entry.gpus.node, entry.pod, changes);
  }
  for (const auto& other : before) DropIfEmpty(other.in_flight.gpus.node);
}

void Cache::TakeFor(const model::FenceSeen::Other& other) {
  const InFlightPod& entry = other.in_flight;
  NodeView& view = NodeFor(entry.gpus.node);
  view.others_pods.push_back(
      {.pod = entry.pod, .scheduler = other.scheduler, .is_counted = !entry.is_enforced});
  for (const GpuId gpu : entry.gpus.ids) {
    // Releases take turns at a GPU, so nobody of ours may join meanwhile, whatever the mode.
    view.holders.Add(gpu, entry.pod, model::AllocationMode::kExclusive, {}, Evidence::kFence);
  }
}

void Cache::FreeOf(const InFlightPod& entry) {
  NodeView& view = NodeFor(entry.gpus.node);
  std::erase_if(view.others_pods,
                [&entry](const OthersPod& other) { return other.pod.uid == entry.pod.uid; });
  for (const GpuId gpu : entry.gpus.ids) {
    view.holders.Remove(gpu, entry.pod.uid, Evidence::kFence);
  }
}

// A pod that is bound goes on holding its GPUs; what it no longer does is to keep pods that are
// counted away from a whole node. Those stay away from one with ids for another reason.
bool Cache::HasLeftRoom(const InFlightPod& entry) const {
  const NodeView& view = *FindNode(entry.gpus.node);
  const bool is_listed =
      std::any_of(view.others_pods.begin(), view.others_pods.end(),
                  [&entry](const OthersPod& other) { return other.pod.uid == entry.pod.uid; });
  if (!is_listed && !entry.is_enforced) return true;
  return std::any_of(entry.gpus.ids.begin(), entry.gpus.ids.end(),
                     [&](GpuId gpu) { return !view.holders.IsHeldBy(gpu, entry.pod.uid); });
}

}  // namespace gs::cache
