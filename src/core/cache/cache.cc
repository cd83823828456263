#include "core/cache/cache.h"

#include <algorithm>
#include <variant>

#include "base/check.h"
#include "core/model/names.h"

namespace gs::cache {
namespace {

namespace names = model::names;

void AddTo(std::map<model::HostPort, int>& sum, const std::vector<model::HostPort>& part,
           int sign) {
  for (const model::HostPort& port : part) {
    int& pods = sum[port];
    pods += sign;
    if (pods == 0) sum.erase(port);
  }
}

bool IsHeldBy(const NodeView& view, GpuId gpu, const PodUid& pod) {
  const auto holders = view.holders.Of(gpu);
  return std::any_of(holders.begin(), holders.end(),
                     [&pod](const Holder& holder) { return holder.pod.uid == pod; });
}

// It failed before any of its containers was seen to run.
bool IsRejection(const model::Pod& before, const model::Pod& pod) {
  return pod.is_bound() && pod.phase == model::PodPhase::kFailed &&
         before.phase == model::PodPhase::kPending && !before.had_running_container &&
         !pod.had_running_container;
}

bool AreSame(const std::optional<model::Allocation>& a, const model::Allocation* b) {
  return a.has_value() == (b != nullptr) && (b == nullptr || *a == *b);
}

// About other pods.
bool AskTheSame(const model::Pod& a, const model::Pod& b) {
  return a.rules->pod_affinity == b.rules->pod_affinity && a.rules->spread == b.rules->spread &&
         a.ties->anti_affinity == b.ties->anti_affinity;
}

// The Binding makes the condition true. Where nobody writes conditions the creation is near enough.
TimePoint BoundAt(const model::Pod& pod) {
  const bool is_said =
      pod.scheduled.status == model::ConditionStatus::kTrue && pod.scheduled.since != TimePoint{};
  return is_said ? pod.scheduled.since : pod.created;
}

}  // namespace

bool Cache::IsBelieved(const model::Pod& pod) const {
  return IsOurs(pod) || neighbours_.contains(pod.scheduler) || locks_of_.contains(pod.ref.uid);
}

Footprint Cache::FootprintNow(const PodUid& uid) const {
  const auto record = pods_.find(uid);
  if (record == pods_.end()) return {};
  return FootprintOf(record->second, IsBelieved(record->second.pod));
}

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
  AddTo(view.used, footprint.requests, 1);
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
  AddTo(view.used, footprint.requests, -1);
  AddTo(view.host_ports, footprint.host_ports, -1);
  --view.pods_used;
  const auto is_this = [&pod](const model::PodRef& other) { return other.uid == pod; };
  std::erase_if(view.counted_pods, is_this);
  std::erase_if(view.direct_pods, is_this);
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
  const auto is_free = [&](GpuId gpu) { return !IsHeldBy(view, gpu, pod.uid); };
  if (before.allocation && std::any_of(before.allocation->gpus.ids.begin(),
                                       before.allocation->gpus.ids.end(), is_free)) {
    if (!view.renumbered.empty()) FindRenumbered(before.node, changes);
    changes.push_back({.kind = ChangeKind::kGpusFreed, .node = before.node, .pod = pod});
  }
  if (after.node != before.node) {
    changes.push_back({.kind = ChangeKind::kRoomFreed, .node = before.node, .pod = pod});
  }
  DropIfEmpty(before.node);
}

void Cache::PlaceVolumes(const model::PodRef& pod, const NodeName& node) {
  const model::Pod* known = FindPod(pod.uid);
  storage_.SetPlace(pod, node, known == nullptr ? model::PodTies() : *known->ties);
}

void Cache::TellForeign(const model::PodRef& pod, const Footprint& footprint,
                        Changes& changes) const {
  const NodeView& view = nodes_.at(footprint.node);
  if (view.handover() != Handover::kMixed || footprint.evidence != Evidence::kBound) return;
  const auto record = pods_.find(pod.uid);
  if (!footprint.is_counted() || record == pods_.end() || IsOurs(record->second.pod)) return;
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
  if (!view.is_known && view.pods_used == 0 && view.holders.all().empty() && !view.node.machine &&
      !view.withheld) {
    nodes_.erase(entry);
  }
}

// --- pods ----------------------------------------------------------------------------------------

void Cache::KeepResult(PodRecord& record, Changes& changes) const {
  const model::Pod& pod = record.pod;
  if (!pod.is_bound()) return;
  std::optional<model::Allocation> result;
  std::string problem;
  if (pod.annotations.Find(names::kAllocated) != nullptr) {
    auto parsed = model::ParseResultAnnotations(pod.ref.uid, pod.annotations);
    if (!parsed) {
      problem = ToString(parsed.error());
    } else if (parsed->gpus.node != pod.node) {
      problem = "it names GPUs of " + parsed->gpus.node.text() + ", but is on " + pod.node.text();
    } else {
      result = *std::move(parsed);
    }
  }
  if (!record.has_bound) {
    record.has_bound = true;
    if (result) record.kept = std::make_shared<const model::Allocation>(*result);
    record.bound_at = BoundAt(pod);
  } else if (problem.empty() && !AreSame(result, record.kept.get())) {
    problem = "it was bound with " + (record.kept ? ToString(*record.kept) : "no GPUs") +
              " and now says " + (result ? ToString(*result) : "nothing");
  }
  if (problem.empty() || record.is_edit_told || !IsBelieved(pod)) return;
  record.is_edit_told = true;
  changes.push_back({.kind = ChangeKind::kAnnotationEdited,
                     .node = pod.node,
                     .pod = pod.ref,
                     .message = "the results on " + ToString(pod.ref) +
                                " were edited and are not believed: " + problem});
}

void Cache::TellPod(const PodRecord& record, const std::optional<model::Pod>& before,
                    Changes& changes) const {
  const model::Pod& pod = record.pod;
  if (!IsOurs(pod)) return;
  const auto tell = [&](ChangeKind kind) {
    changes.push_back({.kind = kind, .node = pod.node, .pod = pod.ref});
  };
  if (pod.is_terminal()) {
    if (before && before->is_terminal()) return;
    if (before && IsRejection(*before, pod)) tell(ChangeKind::kPodRejected);
    return tell(ChangeKind::kPodLeft);
  }
  if (!pod.is_bound()) return tell(ChangeKind::kPodWaits);
  if (!before || !before->is_bound()) tell(ChangeKind::kPodBound);
}

void Cache::Resettle(const model::Pod* old, const NodeName& from, const model::Pod* now,
                     const NodeName& to) {
  const bool stays = old != nullptr && now != nullptr && from == to;
  if (stays && PlacedPods::LookAlike(*old, *now)) return;
  if (old != nullptr && !from.empty()) placed_.Remove(*old, from);
  if (now != nullptr && !to.empty()) placed_.Add(*now, to);
}

void Cache::Rewatch(const model::Pod* old, const model::Pod* now) {
  const auto asks = [this](const model::Pod* pod) {
    return pod != nullptr && IsOurs(*pod) && !pod->is_bound() && !pod->is_terminal();
  };
  const bool asked = asks(old);
  const bool is_asking = asks(now);
  if (asked && is_asking && AskTheSame(*old, *now)) return;
  // The new ones first: what both ask is not counted again.
  if (is_asking) {
    for (const PodQuestion& question : QuestionsOf(*now)) placed_.Watch(question, pods_);
  }
  if (asked) {
    for (const PodQuestion& question : QuestionsOf(*old)) placed_.Unwatch(question);
  }
}

void Cache::SeePod(const model::Pod& pod, Changes& changes) {
  const auto [entry, is_new] = pods_.try_emplace(pod.ref.uid);
  PodRecord& record = entry->second;
  const Footprint before = is_new ? Footprint() : FootprintOf(record, IsBelieved(record.pod));
  std::optional<model::Pod> old;
  if (!is_new) old = std::move(record.pod);
  record.pod = pod;
  if (pod.is_bound() || pod.is_terminal()) {
    record.assumed.reset();
    storage_.TakeBack(pod.ref.uid);
  }
  KeepResult(record, changes);
  const Footprint after = FootprintOf(record, IsBelieved(pod));
  Move(pod.ref, before, after, changes);
  Resettle(old ? &*old : nullptr, before.node, &record.pod, after.node);
  Rewatch(old ? &*old : nullptr, &record.pod);
  TellPod(record, old, changes);
}

void Cache::LosePod(const model::PodGone& gone, TimePoint now, Changes& changes) {
  const auto entry = pods_.find(gone.pod.uid);
  if (entry == pods_.end()) return;
  const PodRecord record = std::move(entry->second);
  const Footprint before = FootprintOf(record, IsBelieved(record.pod));
  pods_.erase(entry);
  storage_.TakeBack(gone.pod.uid);
  if (before.allocation && before.evidence == Evidence::kBound &&
      record.pod.had_running_container) {
    StartRelease(gone, *before.allocation, now);
  }
  Move(gone.pod, before, {}, changes);
  Resettle(&record.pod, before.node, nullptr, {});
  Rewatch(&record.pod, nullptr);
  if (IsOurs(record.pod) && !record.pod.is_terminal()) {
    changes.push_back(
        {.kind = ChangeKind::kPodLeft, .node = record.pod.node, .pod = record.pod.ref});
  }
}

void Cache::Assume(const PodUid& pod, const NodeName& node,
                   const std::optional<model::Allocation>& allocation) {
  PodRecord& record = pods_.at(pod);
  GS_CHECK(!record.pod.is_bound());
  const Footprint before = FootprintNow(pod);
  record.assumed = std::make_shared<const Assumption>(Assumption{node, allocation});
  const Footprint after = FootprintNow(pod);
  Changes ignored;
  Move(record.pod.ref, before, after, ignored);
  Resettle(&record.pod, before.node, &record.pod, after.node);
}

void Cache::AssumeVolumes(const PodUid& pod, const NodeName& node, const VolumeChoice& choice) {
  storage_.Assume(pods_.at(pod).pod.ref, node, choice);
}

std::vector<Change> Cache::TakeBack(const PodUid& pod) {
  Changes changes;
  if (storage_.TakeBack(pod)) changes.push_back({.kind = ChangeKind::kStorageChanged});
  const auto entry = pods_.find(pod);
  if (entry == pods_.end() || !entry->second.assumed) return changes;
  const Footprint before = FootprintNow(pod);
  entry->second.assumed.reset();
  Move(entry->second.pod.ref, before, FootprintNow(pod), changes);
  Resettle(&entry->second.pod, before.node, &entry->second.pod, {});
  return changes;
}

// Their pods are believed from now on, or no longer.
void Cache::SeeNeighbours(const std::set<SchedulerName>& neighbours, Changes& changes) {
  if (neighbours == neighbours_) return;
  std::map<PodUid, Footprint> before;
  for (const auto& [uid, record] : pods_) {
    const SchedulerName& scheduler = record.pod.scheduler;
    if (neighbours.contains(scheduler) == neighbours_.contains(scheduler)) continue;
    before.emplace(uid, FootprintNow(uid));
  }
  neighbours_ = neighbours;
  for (const auto& [uid, footprint] : before) {
    Move(pods_.at(uid).pod.ref, footprint, FootprintNow(uid), changes);
  }
}

// --- locks ---------------------------------------------------------------------------------------

void Cache::Lock(const model::GpuLease& lease, Changes& changes) {
  for (const auto& holder : lease.holders) {
    const Footprint before = FootprintNow(holder.pod.uid);
    ++locks_of_[holder.pod.uid];
    Move(holder.pod, before, FootprintNow(holder.pod.uid), changes);
    NodeFor(lease.node)
        .holders.Add(lease.gpu, holder.pod, lease.mode, lease.controller, Evidence::kLock);
  }
}

void Cache::Unlock(const model::GpuLease& lease, Changes& changes) {
  for (const auto& holder : lease.holders) {
    const Footprint before = FootprintNow(holder.pod.uid);
    const auto count = locks_of_.find(holder.pod.uid);
    if (--count->second == 0) locks_of_.erase(count);
    const bool is_freed =
        NodeFor(lease.node).holders.Remove(lease.gpu, holder.pod.uid, Evidence::kLock);
    Move(holder.pod, before, FootprintNow(holder.pod.uid), changes);
    if (is_freed) {
      FindRenumbered(lease.node, changes);
      changes.push_back({.kind = ChangeKind::kGpusFreed, .node = lease.node, .pod = holder.pod});
    }
    DropIfEmpty(lease.node);
  }
}

void Cache::SeeLease(const model::GpuLease& lease, Changes& changes) {
  const auto known = leases_.find(lease.name);
  if (known == leases_.end()) {
    Lock(lease, changes);
    leases_.emplace(lease.name, lease);
    return;
  }
  // The new one first, so that a holder that stays does not let go in between.
  const model::GpuLease old = std::exchange(known->second, lease);
  Changes of_old;
  Lock(lease, changes);
  Unlock(old, of_old);
  // Holders of both keep the evidence that Unlock took away.
  for (const auto& holder : lease.holders) {
    NodeFor(lease.node)
        .holders.Add(lease.gpu, holder.pod, lease.mode, lease.controller, Evidence::kLock);
  }
  std::erase_if(of_old, [this, &lease](const Change& change) {
    return change.kind == ChangeKind::kGpusFreed && change.node == lease.node &&
           IsHeldBy(NodeFor(lease.node), lease.gpu, change.pod.uid);
  });
  changes.insert(changes.end(), of_old.begin(), of_old.end());
}

void Cache::LoseLease(const LeaseName& name, Changes& changes) {
  const auto known = leases_.find(name);
  if (known == leases_.end()) return;
  const model::GpuLease old = std::move(known->second);
  leases_.erase(known);
  Unlock(old, changes);
}

// --- events --------------------------------------------------------------------------------------

class Cache::Applier {
 public:
  Applier(Cache& cache, TimePoint now, Changes& changes)
      : cache_(cache), now_(now), changes_(changes) {}

  void operator()(const model::PodSeen& seen) { cache_.SeePod(seen.pod, changes_); }
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
    cache_.MatchMachine(seen.node.name, changes_);
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
  void operator()(const model::LeaseSeen& seen) { cache_.SeeLease(seen.lease, changes_); }
  void operator()(const model::LeaseGone& gone) { cache_.LoseLease(gone.name, changes_); }
  void operator()(const model::MachineSeen& seen) { cache_.SeeMachine(seen, changes_); }
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
  void operator()(const model::ReleasesChecked& checked) {
    if (checked.is_known) cache_.SeeNeighbours(checked.neighbours, changes_);
  }
  void operator()(const model::ViewReached& reached) { cache_.complete_.insert(reached.kind); }
  void operator()(const model::KindMissing& missing) { cache_.complete_.insert(missing.kind); }
  // Everything else is about our own writes.
  template <class Other>
  void operator()(const Other& /*event*/) {}

 private:
  // The machines are told apart from their nodes.
  static bool SameOffer(model::Node a, const model::Node& b) {
    a.machine = b.machine;
    return a == b;
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
  const auto entry = pods_.find(uid);
  return entry == pods_.end() ? nullptr : &entry->second.pod;
}

const model::Claim* Cache::FindClaim(const Namespace& ns, const ClaimName& name) const {
  const auto entry = claims_.find(std::pair(ns, name));
  return entry == claims_.end() ? nullptr : &entry->second;
}

const model::Allocation* Cache::AllocationOf(const PodUid& uid) const {
  const auto entry = pods_.find(uid);
  if (entry == pods_.end() || !entry->second.kept || !IsBelieved(entry->second.pod)) return nullptr;
  return entry->second.kept.get();
}

bool Cache::is_synced() const { return complete_.size() == model::kAllKinds.size(); }

}  // namespace gs::cache
