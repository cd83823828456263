#include "core/commit/observed.h"

#include <algorithm>
#include <utility>

#include "base/resource_version.h"
#include "core/model/gpu_resource.h"

namespace gs::commit {
namespace {

using model::Allocation;
using model::GpuLease;
using model::LeaseHolder;
using model::Pod;

// Where a pod is bound to cannot be edited, so GPUs of another node are not what it was given.
std::shared_ptr<const Allocation> AllocationOn(const Pod& pod) {
  if (pod.annotations.empty()) return nullptr;
  auto allocation = model::ParseResultAnnotations(pod.ref.uid, pod.annotations);
  if (!allocation || allocation->gpus.node != pod.node) return nullptr;
  return std::make_shared<const Allocation>(*std::move(allocation));
}

}  // namespace

Observed::Affected Observed::SeePod(const Pod& pod) {
  const bool was_plain = plain_.contains(pod.ref.uid);
  if (was_plain && !pod.is_terminal()) return {};
  KnownPod& known = was_plain ? Recall(pod.ref) : pods_[pod.ref.uid];
  // Whoever waits for it to be bound looks at it afterwards.
  const bool is_awaited = known.is_witnessed && !known.is_bound;
  Affected affected = LeasesAbout(known);
  Unindex(known);
  known.ref = pod.ref;
  known.scheduler = pod.scheduler;
  known.is_terminal = known.is_terminal || pod.is_terminal();
  known.is_terminating = known.is_terminating || pod.is_terminating;
  if (pod.is_bound()) {
    known.is_bound = true;
    known.node = pod.node;
    const bool is_new = known.seen_bound.empty();
    if (is_new) known.seen_bound = pod.resource_version;
    if (!std::exchange(known.is_kept, true)) known.allocation = AllocationOn(pod);
    const bool has_gpus = known.allocation != nullptr || model::HasGpuResource(pod.requests);
    if (is_new && has_gpus) newest_bound_ = LaterVersion(newest_bound_, known.seen_bound);
  } else {
    known.is_witnessed = true;
  }
  Index(known);
  affected.merge(LeasesAbout(known));
  if (!is_awaited && IsPlain(known)) {
    pods_.erase(pod.ref.uid);
    plain_.FindOrAdd(pod.ref.uid, [&pod] { return pod.ref.uid; });
  }
  return affected;
}

// That it was seen bound without GPUs is a fact: nothing that somebody writes on it later counts.
bool Observed::IsPlain(const KnownPod& pod) const {
  return pod.is_holding() && pod.is_kept && !pod.allocation && !named_in_.contains(pod.ref.uid);
}

KnownPod& Observed::Recall(const model::PodRef& pod) {
  plain_.Erase(pod.uid);
  KnownPod& known = pods_[pod.uid];
  known.ref = pod;
  known.is_bound = true;
  known.is_kept = true;
  return known;
}

Observed::Affected Observed::PodIsGone(const PodUid& pod) {
  Affected affected;
  if (const auto named = named_in_.find(pod); named != named_in_.end()) {
    gone_.insert(pod);
    affected = named->second;
  }
  plain_.Erase(pod);
  const auto known = pods_.find(pod);
  if (known == pods_.end()) return affected;
  affected.merge(LeasesAbout(known->second));
  Unindex(known->second);
  pods_.erase(known);
  return affected;
}

Observed::Affected Observed::PodIsBound(const model::PodRef& pod, const Allocation& allocation) {
  if (plain_.contains(pod.uid)) return {};
  KnownPod& known = pods_[pod.uid];
  if (known.is_kept) return {};
  Unindex(known);
  known.ref = pod;
  known.scheduler = scheduler_;
  known.is_bound = true;
  known.node = allocation.gpus.node;
  known.allocation = std::make_shared<const Allocation>(allocation);
  known.is_witnessed = true;
  Index(known);
  return LeasesAbout(known);
}

void Observed::SeeLease(const GpuLease& lease) {
  const GpuLease before = std::exchange(leases_[lease.name], lease);
  for (const LeaseHolder& holder : lease.holders) {
    named_in_[holder.pod.uid].insert(lease.name);
    if (plain_.contains(holder.pod.uid)) Recall(holder.pod);
  }
  for (const LeaseHolder& holder : before.holders) {
    if (FindHolder(lease, holder.pod.uid) == nullptr) Unname(holder.pod.uid, lease.name);
  }
}

bool Observed::LeaseIsGone(const LeaseName& name, const LeaseUid& uid) {
  const GpuLease* lease = FindLease(name);
  if (lease == nullptr || lease->uid != uid) return false;
  for (const LeaseHolder& holder : lease->holders) Unname(holder.pod.uid, name);
  leases_.erase(name);
  return true;
}

void Observed::SeeReached(model::Kind kind, const ResourceVersion& version) {
  ResourceVersion& reached = reached_[kind];
  if (reached.empty() || IsAtLeast(version, reached)) reached = version;
}

const KnownPod* Observed::FindPod(const PodUid& pod) const {
  const auto known = pods_.find(pod);
  return known == pods_.end() ? nullptr : &known->second;
}

bool Observed::HasSeen(const PodUid& pod) const {
  return pods_.contains(pod) || plain_.contains(pod);
}

const GpuLease* Observed::FindLease(const LeaseName& name) const {
  const auto lease = leases_.find(name);
  return lease == leases_.end() ? nullptr : &lease->second;
}

std::vector<const KnownPod*> Observed::HoldersOf(const LeaseName& lease) const {
  std::vector<const KnownPod*> pods;
  const auto found = holders_.find(lease);
  if (found == holders_.end()) return pods;
  for (const PodUid& uid : found->second) pods.push_back(&pods_.at(uid));
  return pods;
}

std::set<LeaseName> Observed::LeasesNaming(const PodUid& pod) const {
  const auto named = named_in_.find(pod);
  return named == named_in_.end() ? std::set<LeaseName>() : named->second;
}

ResourceVersion Observed::ReachedOf(model::Kind kind) const {
  const auto reached = reached_.find(kind);
  return reached == reached_.end() ? ResourceVersion() : reached->second;
}

Observed::Affected Observed::LeasesAbout(const KnownPod& pod) const {
  Affected locks = LeasesNaming(pod.ref.uid);
  if (pod.is_bound && pod.allocation) {
    for (LeaseName& lock : LeasesOf(*pod.allocation)) locks.insert(std::move(lock));
  }
  return locks;
}

void Observed::Index(const KnownPod& pod) {
  if (!pod.is_holding() || !pod.allocation) return;
  for (const LeaseName& lock : LeasesOf(*pod.allocation)) holders_[lock].insert(pod.ref.uid);
}

void Observed::Unindex(const KnownPod& pod) {
  if (!pod.is_holding() || !pod.allocation) return;
  for (const LeaseName& lock : LeasesOf(*pod.allocation)) {
    const auto holders = holders_.find(lock);
    holders->second.erase(pod.ref.uid);
    if (holders->second.empty()) holders_.erase(holders);
  }
}

void Observed::Unname(const PodUid& pod, const LeaseName& lease) {
  const auto named = named_in_.find(pod);
  if (named == named_in_.end()) return;  // the Lease named it twice
  named->second.erase(lease);
  if (!named->second.empty()) return;
  named_in_.erase(named);
  gone_.erase(pod);
}

std::vector<LeaseName> LeasesOf(const Allocation& allocation) {
  std::vector<LeaseName> leases;
  leases.reserve(allocation.gpus.ids.size());
  for (const GpuId gpu : allocation.gpus.ids) {
    leases.push_back(model::LeaseNameOf(allocation.gpus.node, gpu));
  }
  return leases;
}

const LeaseHolder* FindHolder(const GpuLease& lease, const PodUid& pod) {
  const auto holder = std::find_if(lease.holders.begin(), lease.holders.end(),
                                   [&](const LeaseHolder& each) { return each.pod.uid == pod; });
  return holder == lease.holders.end() ? nullptr : &*holder;
}

}  // namespace gs::commit
