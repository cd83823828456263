#include "core/commit/simulation/server.h"

#include <utility>

#include "core/model/allocation.h"

namespace gs::commit::simulation {

using model::GpuLease;
using model::Pod;
using model::WriteOutcome;

Wish WishOf(const Pod& pod) {
  switch (pod.ref.name.text().front()) {
    case 'p': return Wish::kPair;
    case 's': return Wish::kShared;
    default: return Wish::kOne;
  }
}

ResourceVersion Server::version() const { return ResourceVersion(std::to_string(revision_)); }

WriteOutcome Server::Bind(const model::BindPod& bind) {
  Pod* pod = Find(bind.pod);
  if (pod == nullptr) return WriteOutcome::kNotFound;
  const bool is_outdated =
      !bind.resource_version.empty() && bind.resource_version != pod->resource_version;
  if (is_outdated || pod->is_bound() || pod->is_terminating) return WriteOutcome::kConflict;
  pod->node = bind.allocation.gpus.node;
  for (const auto& [name, text] : model::ResultAnnotations(bind.allocation)) {
    pod->annotations.Set(name, text);
  }
  Store(*pod);
  return WriteOutcome::kDone;
}

model::TouchAnswered Server::Touch(const model::TouchPod& touch) {
  model::TouchAnswered answer{.pod = touch.pod.uid,
                              .attempt = touch.attempt,
                              .outcome = WriteOutcome::kNotFound,
                              .node = {},
                              .resource_version = {}};
  Pod* pod = Find(touch.pod);
  if (pod == nullptr) return answer;
  // A patch that changes nothing is not stored.
  std::string& fence = fences_[touch.pod.name.text()];
  if (std::exchange(fence, touch.message) != touch.message) Store(*pod);
  answer.outcome = WriteOutcome::kDone;
  answer.node = pod->node;
  answer.resource_version = pod->resource_version;
  return answer;
}

WriteOutcome Server::Create(const model::CreateLease& create) {
  if (leases_.contains(create.lease.name)) return WriteOutcome::kAlreadyExists;
  GpuLease lease = create.lease;
  lease.uid = LeaseUid("l" + std::to_string(++uids_));
  Store(std::move(lease));
  return WriteOutcome::kDone;
}

WriteOutcome Server::Update(const model::UpdateLease& update) {
  const auto lease = leases_.find(update.lease.name);
  if (lease == leases_.end()) return WriteOutcome::kNotFound;
  const bool is_same = lease->second.uid == update.lease.uid &&
                       lease->second.resource_version == update.lease.resource_version;
  if (!is_same) return WriteOutcome::kConflict;
  Store(update.lease);
  return WriteOutcome::kDone;
}

WriteOutcome Server::Delete(const model::DeleteLease& remove) {
  const auto lease = leases_.find(remove.name);
  if (lease == leases_.end()) return WriteOutcome::kNotFound;
  const bool is_same =
      lease->second.uid == remove.uid && lease->second.resource_version == remove.resource_version;
  if (!is_same) return WriteOutcome::kConflict;
  Remove(lease->second);
  return WriteOutcome::kDone;
}

WriteOutcome Server::LookUp(const model::PodRef& ref) const {
  const auto pod = pods_.find(ref.name.text());
  const bool is_there = pod != pods_.end() && pod->second.ref.uid == ref.uid;
  return is_there ? WriteOutcome::kDone : WriteOutcome::kNotFound;
}

WriteOutcome Server::Put(const ElectionPut& put) {
  if (!put.from && election_) return WriteOutcome::kAlreadyExists;
  if (put.from && (!election_ || election_->uid != put.from->uid)) return WriteOutcome::kNotFound;
  if (put.from && election_->version != put.from->version) return WriteOutcome::kConflict;
  const std::uint64_t uid = put.from ? put.from->uid : ++uids_;
  election_ = put.to;
  election_->uid = uid;
  election_->version = ++revision_;
  return WriteOutcome::kDone;
}

void Server::CreatePod(const std::string& name) {
  if (pods_.contains(name)) return;
  Pod& pod = pods_[name];
  pod.ref = {Namespace("default"), PodName(name), PodUid("u" + std::to_string(++uids_))};
  pod.scheduler = kScheduler;
  fences_.erase(name);
  Store(pod);
}

void Server::DeletePod(const std::string& name) {
  const auto pod = pods_.find(name);
  if (pod == pods_.end()) return;
  if (!pod->second.is_bound() || pod->second.is_terminating) return ForceDeletePod(name);
  pod->second.is_terminating = true;
  Store(pod->second);
}

void Server::ForceDeletePod(const std::string& name) {
  const auto pod = pods_.find(name);
  if (pod == pods_.end()) return;
  pod_history_.push_back({++revision_, model::PodGone{pod->second.ref}});
  pods_.erase(pod);
}

void Server::FinishPod(const std::string& name) {
  const auto pod = pods_.find(name);
  if (pod == pods_.end() || !pod->second.is_bound()) return;
  pod->second.phase = model::PodPhase::kSucceeded;
  Store(pod->second);
}

void Server::PokePod(const std::string& name) {
  const auto pod = pods_.find(name);
  if (pod != pods_.end()) Store(pod->second);
}

void Server::DeleteLeaseByHand(const LeaseName& name) {
  const auto lease = leases_.find(name);
  if (lease != leases_.end()) Remove(lease->second);
}

void Server::DeleteElection() {
  if (!election_) return;
  ++revision_;
  election_.reset();
}

Pod* Server::Find(const model::PodRef& ref) {
  const auto pod = pods_.find(ref.name.text());
  return pod == pods_.end() || pod->second.ref.uid != ref.uid ? nullptr : &pod->second;
}

void Server::Store(Pod& pod) {
  ++revision_;
  pod.resource_version = version();
  pod_history_.push_back({revision_, model::PodSeen{pod}});
}

void Server::Store(GpuLease lease) {
  ++revision_;
  lease.resource_version = version();
  lease_history_.push_back({revision_, model::LeaseSeen{lease}});
  leases_.insert_or_assign(lease.name, std::move(lease));
}

void Server::Remove(const GpuLease& lease) {
  lease_history_.push_back({++revision_, model::LeaseGone{lease.name, lease.uid}});
  leases_.erase(LeaseName(lease.name));
}

}  // namespace gs::commit::simulation
