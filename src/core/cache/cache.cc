#include "core/cache/cache.h"

#include <algorithm>
#include <variant>

namespace gs::cache {
namespace {

void AddTo(std::map<model::HostPort, int>& sum, const std::vector<model::HostPort>& part,
           int sign) {
  for (const model::HostPort& port : part) {
    int& pods = sum[port];
    pods += sign;
    if (pods == 0) sum.erase(port);
  }
}

// Of something, as after a resize in place.
bool AsksForLess(const model::Resources& now, const model::Resources& before) {
  return now.cpu_milli < before.cpu_milli || now.memory_bytes < before.memory_bytes ||
         now.gpus < before.gpus ||
         std::any_of(before.others.begin(), before.others.end(), [&now](const auto& other) {
           return now.others.Of(other.first) < other.second;
         });
}

}  // namespace

NodeView& Cache::NodeFor(const NodeName& name) {
  const auto [entry, is_new] = nodes_.try_emplace(name);
  NodeView& view = entry->second;
  if (is_new) {
    view.node.name = name;
    view.is_known = false;
  }
  if (!std::exchange(view.is_noted, true)) changed_nodes_.push_back(name);
  return view;
}

std::vector<NodeName> Cache::TakeChangedNodes() {
  for (const NodeName& name : changed_nodes_) {
    if (const auto entry = nodes_.find(name); entry != nodes_.end()) entry->second.is_noted = false;
  }
  return std::exchange(changed_nodes_, {});
}

void Cache::Add(const model::PodRef& pod, const Footprint& footprint) {
  if (footprint.node.empty()) return;
  NodeView& view = NodeFor(footprint.node);
  view.used.Add(footprint.requests);
  AddTo(view.host_ports, footprint.host_ports, 1);
  ++view.pods_used;
  if (footprint.is_counted()) view.counted_pods.push_back(pod);
  if (footprint.is_direct()) view.direct_pods.push_back(pod);
  if (!footprint.allocation) return;
  for (const GpuId gpu : footprint.allocation->gpus.ids) {
    view.holders.Add(gpu, pod, footprint.allocation->mode, footprint.allocation->controller,
                     footprint.evidence);
  }
}

void Cache::Remove(const PodUid& pod, const Footprint& footprint) {
  if (footprint.node.empty()) return;
  NodeView& view = NodeFor(footprint.node);
  view.used.Remove(footprint.requests);
  AddTo(view.host_ports, footprint.host_ports, -1);
  --view.pods_used;
  if (!IsReleasing(pod)) {
    const auto is_this = [&pod](const model::PodRef& other) { return other.uid == pod; };
    std::erase_if(view.counted_pods, is_this);
    std::erase_if(view.direct_pods, is_this);
  }
  if (!footprint.allocation) return;
  for (const GpuId gpu : footprint.allocation->gpus.ids) {
    view.holders.Remove(gpu, pod, footprint.evidence);
  }
}

void Cache::Move(const model::PodRef& pod, const Footprint& before, const Footprint& after,
                 Changes& changes) {
  if (before == after) return;
  Remove(pod.uid, before);
  Add(pod, after);
  if (after.node != before.node) PlaceVolumes(pod, after.node);
  if (!after.node.empty()) {
    TellForeign(pod, after, changes);
    // Only what a bound pod was given can be another GPU by now.
    if (after.allocation && after.evidence == Evidence::kBound) {
      FindRenumbered(after.node, changes);
    }
  }
  if (before.node.empty()) return;
  const NodeView& view = nodes_.at(before.node);
  const auto is_free = [&](GpuId gpu) { return !view.holders.IsHeldBy(gpu, pod.uid); };
  if (before.allocation && std::any_of(before.allocation->gpus.ids.begin(),
                                       before.allocation->gpus.ids.end(), is_free)) {
    TellFreed(before.node, pod, changes);
  }
  if (after.node != before.node || AsksForLess(after.requests, before.requests)) {
    changes.push_back({.kind = ChangeKind::kRoomFreed, .node = before.node, .pod = pod});
  }
  DropIfEmpty(before.node);
}

void Cache::TellFreed(const NodeName& node, const model::PodRef& pod, Changes& changes) {
  const NodeView* view = FindNode(node);
  if (view != nullptr && !view->renumbered.empty()) FindRenumbered(node, changes);
  changes.push_back({.kind = ChangeKind::kGpusFreed, .node = node, .pod = pod});
}

void Cache::PlaceVolumes(const model::PodRef& pod, const NodeName& node) {
  const model::Pod* known = FindPod(pod.uid);
  static const model::PodTies kNone;
  storage_.SetPlace(pod, node, known == nullptr ? kNone : *known->ties);
}

void Cache::TellForeign(const model::PodRef& pod, const Footprint& footprint,
                        Changes& changes) const {
  if (!footprint.is_counted() || footprint.evidence != Evidence::kBound) return;
  const NodeView& view = nodes_.at(footprint.node);
  const model::Pod* known = FindPod(pod.uid);
  if (view.handover() != Handover::kMixed || known == nullptr || IsOurs(*known)) return;
  const std::string message = ToString(pod) + " gets GPUs of " + footprint.node.text() +
                              " from a device plugin, which does not know that " +
                              ToString(view.direct_pods.front()) + " holds some of them";
  for (const model::PodRef& each : {pod, view.direct_pods.front()}) {
    changes.push_back({.kind = ChangeKind::kForeignOnDirect,
                       .node = footprint.node,
                       .pod = each,
                       .message = message});
  }
}

void Cache::DropIfEmpty(const NodeName& name) {
  const auto entry = nodes_.find(name);
  if (entry == nodes_.end()) return;
  const NodeView& view = entry->second;
  if (!view.is_known && view.pods_used == 0 && view.holders.all().empty() &&
      view.releasing_pods.empty() && view.others_pods.empty() && !view.node.machine &&
      !view.withheld) {
    nodes_.erase(entry);
  }
}

// --- events --------------------------------------------------------------------------------------

class Cache::Applier {
 public:
  Applier(Cache& cache, TimePoint now, Changes& changes)
      : cache_(cache), now_(now), changes_(changes) {}

  void operator()(const model::PodSeen& seen) { cache_.SeePod(seen.pod, now_, changes_); }
  void operator()(const model::PodGone& gone) { cache_.LosePod(gone, now_, changes_); }
  void operator()(const model::PodLookedUp& answer) {
    if (answer.outcome == model::WriteOutcome::kNotFound) {
      cache_.LosePod({.pod = answer.pod}, now_, changes_);
    }
  }
  void operator()(const model::NodeSeen& seen) {
    NodeView& view = cache_.NodeFor(seen.node.name);
    model::Node node = seen.node;
    node.machine = std::move(view.node.machine);
    const bool is_same = view.is_known && SameOffer(node, view.node);
    view.node = std::move(node);
    view.is_known = true;
    if (!is_same) Tell(ChangeKind::kNodeChanged, seen.node.name);
    cache_.MatchMachine(seen.node.name, now_, changes_);
  }
  void operator()(const model::NodeGone& gone) {
    if (cache_.FindNode(gone.node) == nullptr) return;
    NodeView& view = cache_.NodeFor(gone.node);
    model::Node empty{.name = gone.node, .machine = std::move(view.node.machine)};
    view.node = std::move(empty);
    view.is_known = false;
    cache_.DropIfEmpty(gone.node);
    Tell(ChangeKind::kNodeLeft, gone.node);
  }
  void operator()(const model::ClaimSeen& seen) {
    const auto& claim = seen.claim;
    const auto [entry, is_new] = cache_.claims_.try_emplace(std::pair(claim.ns, claim.name));
    const model::Claim old = std::exchange(entry->second, claim);
    // Its status is our own doing and helps nobody.
    if (is_new || !AskTheSame(old, claim)) TellClaim(claim.ns, claim.name);
  }
  void operator()(const model::ClaimGone& gone) {
    if (cache_.claims_.erase(std::pair(gone.ns, gone.name)) > 0) TellClaim(gone.ns, gone.name);
  }
  void operator()(const model::LeaseSeen& seen) {
    cache_.leases_.insert_or_assign(seen.lease.name, seen.lease);
  }
  void operator()(const model::LeaseGone& gone) { cache_.leases_.erase(gone.name); }
  void operator()(const model::FenceSeen& seen) { cache_.SeeFence(seen, changes_); }
  void operator()(const model::MachineSeen& seen) { cache_.SeeMachine(seen, now_, changes_); }
  void operator()(const model::MachineGone& gone) { cache_.LoseMachine(gone.node, changes_); }
  void operator()(const model::StorageSeen& seen) {
    if (cache_.storage_.See(seen.object)) Tell(ChangeKind::kStorageChanged, {});
  }
  void operator()(const model::StorageGone& gone) {
    if (cache_.storage_.Lose(gone)) Tell(ChangeKind::kStorageChanged, {});
  }
  void operator()(const model::NamespaceSeen& seen) {
    cache_.placed_.SetNamespace(seen.ns, seen.labels, cache_.pods_);
  }
  void operator()(const model::NamespaceGone& gone) {
    cache_.placed_.LoseNamespace(gone.ns, cache_.pods_);
  }
  void operator()(const model::ViewReached& reached) {
    const bool is_first = !cache_.complete_.contains(reached.kind);
    const bool are_pods_listed = reached.kind == model::Kind::kPod && (is_first || reached.is_list);
    const bool is_machine_new = reached.kind == model::Kind::kMachine && is_first;
    if (are_pods_listed) cache_.pods_listed_ = reached.resource_version;
    Complete(reached.kind);
    if (are_pods_listed || is_machine_new) cache_.FindUnseen(now_, changes_);
  }
  void operator()(const model::KindMissing& missing) { Complete(missing.kind); }
  // Everything else is about our own writes.
  template <class Other>
  void operator()(const Other& /*event*/) {}

 private:
  // The machines are told apart from their nodes.
  static bool SameOffer(model::Node a, const model::Node& b) {
    a.machine = b.machine;
    return a == b;
  }
  void Complete(model::Kind kind) {
    const bool is_first = cache_.complete_.insert(kind).second;
    if (is_first && kind == model::Kind::kMachine) cache_.EndReleasesWithoutAgent(changes_);
  }
  void Tell(ChangeKind kind, const NodeName& node) {
    changes_.push_back({.kind = kind, .node = node});
  }
  void TellClaim(const Namespace& ns, const ClaimName& name) {
    changes_.push_back({.kind = ChangeKind::kClaimChanged, .ns = ns, .claim = name});
  }

  Cache& cache_;
  TimePoint now_;
  Changes& changes_;
};

std::vector<Change> Cache::Apply(const model::Event& event, TimePoint now) {
  Changes changes;
  std::visit(Applier(*this, now, changes), event);
  return changes;
}

const NodeView* Cache::FindNode(const NodeName& name) const {
  const auto entry = nodes_.find(name);
  return entry == nodes_.end() ? nullptr : &entry->second;
}

const model::Pod* Cache::FindPod(const PodUid& uid) const {
  const PodRecord* record = pods_.Find(uid);
  return record == nullptr ? nullptr : &record->pod;
}

const model::Claim* Cache::FindClaim(const Namespace& ns, const ClaimName& name) const {
  const auto entry = claims_.find(std::pair(ns, name));
  return entry == claims_.end() ? nullptr : &entry->second;
}

const model::Allocation* Cache::AllocationOf(const PodUid& uid) const {
  const PodRecord* record = pods_.Find(uid);
  return record == nullptr ? nullptr : record->kept.get();
}

// GPU Leases are for people: nothing waits for them.
bool Cache::is_synced() const {
  return std::all_of(model::kAllKinds.begin(), model::kAllKinds.end(), [this](model::Kind kind) {
    return kind == model::Kind::kLease || complete_.contains(kind);
  });
}

}  // namespace gs::cache
