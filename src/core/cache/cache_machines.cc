// The part of Cache that knows what agents report of their machines.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
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

// The number that the pod's GPU has now, if it has another one than when the pod was given it.
std::optional<GpuId> NumberNow(const model::Allocation& allocation, std::size_t index,
                               const model::Machine& machine) {
  if (index >= allocation.uuids.size() || allocation.uuids[index].empty()) return std::nullopt;
  for (const auto& device : machine.devices) {
    if (device.uuid != allocation.uuids[index]) continue;
    if (device.id == allocation.gpus.ids[index]) return std::nullopt;
    return device.id;
  }
  return std::nullopt;
}

// Who uses the GPUs, by the word of the agent, changes with every pod and helps no decision.
bool IsSameButForUse(const model::GpuDevice& a, const model::GpuDevice& b) {
  model::GpuDevice as_b = a;
  as_b.in_use_by = b.in_use_by;
  as_b.residue = b.residue;
  return as_b == b;
}

bool IsSameButForUse(const model::Machine& a, const model::Machine& b) {
  if (a.links != b.links || a.devices.size() != b.devices.size()) return false;
  return std::equal(a.devices.begin(), a.devices.end(), b.devices.begin(),
                    [](const model::GpuDevice& one, const model::GpuDevice& other) {
                      return IsSameButForUse(one, other);
                    });
}

// Another node may get the name, and a report of the one before it says nothing about its GPUs.
bool IsOfEarlierNode(const NodeUid& owner, const model::Node& node) {
  return !owner.empty() && !node.uid.empty() && owner != node.uid;
}

}  // namespace

void Cache::SeeMachine(const model::MachineSeen& seen, TimePoint now, Changes& changes) {
  NodeView& view = NodeFor(seen.node);
  if (IsOfEarlierNode(seen.owner, view.node)) {
    LoseMachine(seen.node, changes);
    view.withheld = std::make_shared<const model::MachineSeen>(seen);
    return;
  }
  view.withheld.reset();
  // Mostly it is the node that is there; then one copy of its UID will do.
  view.machine_owner = seen.owner == view.node.uid ? view.node.uid : seen.owner;
  view.machine_version = seen.resource_version;
  const bool is_same = view.node.machine && IsSameButForUse(*view.node.machine, seen.machine);
  view.node.machine = seen.machine;
  if (!is_same) {
    view.machine_generation = ++generations_;
    FindRenumbered(seen.node, changes);
    changes.push_back({.kind = ChangeKind::kMachineChanged, .node = seen.node});
  }
  FollowResidue(seen.node, now, changes);
}

void Cache::LoseMachine(const NodeName& node, Changes& changes) {
  if (FindNode(node) == nullptr) return;
  NodeView& view = NodeFor(node);
  view.withheld.reset();
  if (!view.node.machine) return DropIfEmpty(node);
  view.node.machine.reset();
  view.renumbered.clear();
  std::erase_if(releasing_, [&node](const auto& entry) {
    return entry.first.second == node && entry.second.is_over;
  });
  view.machine_version = {};
  view.machine_generation = ++generations_;
  DropIfEmpty(node);
  changes.push_back({.kind = ChangeKind::kMachineChanged, .node = node});
}

void Cache::MatchMachine(const NodeName& node, TimePoint now, Changes& changes) {
  NodeView& view = nodes_.at(node);
  if (view.machine_owner == view.node.uid) view.machine_owner = view.node.uid;  // one copy
  if (view.withheld) {
    const auto seen = view.withheld;
    return SeeMachine(*seen, now, changes);
  }
  if (!view.node.machine || !IsOfEarlierNode(view.machine_owner, view.node)) return;
  const model::MachineSeen seen{.node = node,
                                .machine = *view.node.machine,
                                .resource_version = view.machine_version,
                                .owner = view.machine_owner};
  SeeMachine(seen, now, changes);
}

// Its decision counts as well: the Binding may be on its way.
const model::Allocation* Cache::GivenTo(const PodUid& uid) const {
  const PodRecord* record = pods_.Find(uid);
  if (record == nullptr) return nullptr;
  if (record->has_bound) return record->kept.get();
  return record->assumed && record->assumed->allocation ? &*record->assumed->allocation : nullptr;
}

// Both the id that another GPU has taken over and the one that the pod's GPU has now: the agent
// says so too, but only when it has seen the pod.
void Cache::MarkRenumbered(NodeView& view, GpuId gpu, const Holder& holder,
                           const std::set<GpuId>& before, Changes& changes) const {
  const model::Allocation* given = GivenTo(holder.pod.uid);
  if (given == nullptr || given->gpus.node != view.node.name) return;
  const model::Machine& machine = *view.node.machine;
  for (std::size_t i = 0; i < given->gpus.ids.size(); ++i) {
    if (given->gpus.ids[i] != gpu) continue;
    if (const auto now = NumberNow(*given, i, machine)) view.renumbered.insert(*now);
    if (!IsOther(*given, i, machine)) continue;
    view.renumbered.insert(gpu);
    if (before.contains(gpu)) continue;
    changes.push_back({.kind = ChangeKind::kRenumbered,
                       .node = view.node.name,
                       .pod = holder.pod,
                       .message = "GPU " + std::to_string(gpu.number()) + " of " +
                                  view.node.name.text() + " is another one than " +
                                  ToString(holder.pod) +
                                  " was given; nobody gets it until that pod is gone"});
  }
}

void Cache::FindRenumbered(const NodeName& node, Changes& changes) {
  NodeView& view = NodeFor(node);
  const std::set<GpuId> before = std::exchange(view.renumbered, {});
  if (!view.node.machine) return;
  for (const auto& [gpu, holders] : view.holders.all()) {
    for (const Holder& holder : holders) MarkRenumbered(view, gpu, holder, before, changes);
  }
}

}  // namespace gs::cache
