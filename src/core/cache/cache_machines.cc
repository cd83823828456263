// The part of Cache that knows what agents report of their machines.
#include <cstddef>
#include <string>
#include <utility>

#include "core/cache/cache.h"

namespace gs::cache {
namespace {

const GpuUuid* UuidOf(const model::Machine& machine, GpuId gpu) {
  for (const auto& device : machine.devices) {
    if (device.id == gpu) return &device.uuid;
  }
  return nullptr;
}

// The GPU that the pod was given is no longer the one behind the id.
bool IsOther(const model::Allocation& allocation, std::size_t index,
             const model::Machine& machine) {
  if (index >= allocation.uuids.size() || allocation.uuids[index].empty()) return false;
  const GpuUuid* uuid = UuidOf(machine, allocation.gpus.ids[index]);
  return uuid != nullptr && !uuid->empty() && *uuid != allocation.uuids[index];
}

}  // namespace

void Cache::SeeMachine(const model::MachineSeen& seen, Changes& changes) {
  NodeView& view = NodeFor(seen.node);
  view.machine_version = seen.resource_version;
  if (view.node.machine != seen.machine) {
    view.node.machine = seen.machine;
    view.machine_generation = ++generations_;
    FindRenumbered(seen.node, changes);
    changes.push_back({.kind = ChangeKind::kMachineChanged, .node = seen.node});
  }
  EndReleasesOn(seen.node, changes);
}

void Cache::LoseMachine(const NodeName& node, Changes& changes) {
  const auto entry = nodes_.find(node);
  if (entry == nodes_.end() || !entry->second.node.machine) return;
  NodeView& view = entry->second;
  view.node.machine.reset();
  view.renumbered.clear();
  view.machine_version = {};
  view.machine_generation = ++generations_;
  DropIfEmpty(node);
  changes.push_back({.kind = ChangeKind::kMachineChanged, .node = node});
}

void Cache::FindRenumbered(const NodeName& node, Changes& changes) {
  NodeView& view = nodes_.at(node);
  const std::set<GpuId> before = std::exchange(view.renumbered, {});
  if (!view.node.machine) return;
  for (const auto& [gpu, holders] : view.holders.all()) {
    for (const Holder& holder : holders) {
      const model::Allocation* allocation = AllocationOf(holder.pod.uid);
      if (allocation == nullptr || allocation->gpus.node != node) continue;
      for (std::size_t i = 0; i < allocation->gpus.ids.size(); ++i) {
        if (allocation->gpus.ids[i] != gpu || !IsOther(*allocation, i, *view.node.machine))
          continue;
        view.renumbered.insert(gpu);
        if (before.contains(gpu)) continue;
        changes.push_back({.kind = ChangeKind::kRenumbered,
                           .node = node,
                           .pod = holder.pod,
                           .message = "GPU " + std::to_string(gpu.number()) + " of " + node.text() +
                                      " is another one than " + ToString(holder.pod) +
                                      " was given; nobody gets it until that pod is gone"});
      }
    }
  }
}

}  // namespace gs::cache
