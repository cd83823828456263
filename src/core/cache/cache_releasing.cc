// The part of Cache that keeps the GPUs of pods which vanished while they ran, until their agent
// says that nothing of them is left, or for so long.
#include <algorithm>
#include <string>
#include <utility>

#include "base/gpu_ids.h"
#include "base/resource_version.h"
#include "core/cache/cache.h"

namespace gs::cache {
namespace {

// Whether the agent sees that the pod has left something behind. Where it does not know the UID it
// gives the name.
bool IsLeftBehind(const model::Machine& machine, const model::PodRef& pod) {
  const PodUid name(ToString(pod));
  return std::any_of(machine.devices.begin(), machine.devices.end(), [&](const auto& device) {
    return std::count(device.residue.begin(), device.residue.end(), pod.uid) > 0 ||
           std::count(device.residue.begin(), device.residue.end(), name) > 0;
  });
}

// Whether the agent has not noticed yet that the pod is gone from its GPUs.
bool IsShown(const model::Machine& machine, const model::PodRef& pod,
             const std::vector<GpuId>& gpus) {
  const std::string name = ToString(pod);
  return std::any_of(machine.devices.begin(), machine.devices.end(), [&](const auto& device) {
    return std::count(gpus.begin(), gpus.end(), device.id) > 0 &&
           std::count(device.in_use_by.begin(), device.in_use_by.end(), name) > 0;
  });
}

}  // namespace

// The agent has reported, not before the pod was gone, that nothing of it is left. A report that
// was on its way when the pod went still shows it; a namesake may be shown for good.
bool Cache::HasLetGo(const NodeView& view, const model::PodRef& pod,
                     const model::Allocation& allocation, const ResourceVersion& gone_at) const {
  if (!IsAtLeast(view.machine_version, gone_at)) return false;
  const model::Machine& machine = *view.node.machine;
  if (IsLeftBehind(machine, pod)) return false;
  if (!IsShown(machine, pod, allocation.gpus.ids)) return true;
  return std::any_of(pods_.begin(), pods_.end(), [&pod](const auto& entry) {
    const model::PodRef& other = entry.second.pod.ref;
    return other.ns == pod.ns && other.name == pod.name && other.uid != pod.uid;
  });
}

void Cache::StartRelease(const model::PodGone& gone, const model::Allocation& allocation,
                         TimePoint now) {
  NodeView& view = NodeFor(allocation.gpus.node);
  if (!view.node.machine || HasLetGo(view, gone.pod, allocation, gone.resource_version)) return;
  for (const GpuId gpu : allocation.gpus.ids) {
    view.holders.Add(gpu, gone.pod, allocation.mode, allocation.controller, Evidence::kReleasing);
  }
  releasing_.insert_or_assign(gone.pod.uid, Releasing{.pod = gone.pod,
                                                      .allocation = allocation,
                                                      .gone_at = gone.resource_version,
                                                      .until = now + options_.release_timeout});
}

void Cache::EndRelease(const PodUid& pod, Changes& changes) {
  const auto entry = releasing_.find(pod);
  if (entry == releasing_.end()) return;
  const Releasing released = std::move(entry->second);
  releasing_.erase(entry);
  const NodeName& node = released.allocation.gpus.node;
  NodeView& view = NodeFor(node);
  bool is_freed = false;
  for (const GpuId gpu : released.allocation.gpus.ids) {
    is_freed = view.holders.Remove(gpu, pod, Evidence::kReleasing) || is_freed;
  }
  changes.push_back({.kind = ChangeKind::kReleaseEnded, .node = node, .pod = released.pod});
  if (is_freed) TellFreed(node, released.pod, changes);
  DropIfEmpty(node);
}

void Cache::EndReleasesOn(const NodeName& node, Changes& changes) {
  const NodeView& view = nodes_.at(node);
  std::vector<PodUid> done;
  for (const auto& [uid, releasing] : releasing_) {
    if (releasing.allocation.gpus.node == node &&
        HasLetGo(view, releasing.pod, releasing.allocation, releasing.gone_at)) {
      done.push_back(uid);
    }
  }
  for (const PodUid& uid : done) EndRelease(uid, changes);
}

std::vector<Change> Cache::Tick(TimePoint now) {
  Changes changes;
  std::vector<PodUid> late;
  for (const auto& [uid, releasing] : releasing_) {
    if (releasing.until <= now) late.push_back(uid);
  }
  for (const PodUid& uid : late) {
    const Releasing& releasing = releasing_.at(uid);
    changes.push_back({.kind = ChangeKind::kReleaseTimedOut,
                       .node = releasing.allocation.gpus.node,
                       .pod = releasing.pod,
                       .message = "GPUs " + PrintGpuIds(releasing.allocation.gpus.ids) + " of " +
                                  releasing.allocation.gpus.node.text() +
                                  " are free again although the agent has not said that nothing "
                                  "of " +
                                  ToString(releasing.pod) + " is left on them"});
    EndRelease(uid, changes);
  }
  return changes;
}

std::optional<TimePoint> Cache::NextWake() const {
  std::optional<TimePoint> first;
  for (const auto& [uid, releasing] : releasing_) {
    if (!first || releasing.until < *first) first = releasing.until;
  }
  return first;
}

}  // namespace gs::cache
