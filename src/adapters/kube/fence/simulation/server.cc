#include "adapters/kube/fence/simulation/server.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <utility>
#include <variant>

namespace gs::kube::simulation {

using model::AllocationMode;
using model::GpuLease;
using model::Pod;
using model::WriteOutcome;

namespace {

// Whether the two say the same, but for signs of life.
bool IsSameNews(const FenceLease& a, const FenceLease& b) {
  FenceLease like_a = b;
  like_a.metadata = a.metadata;
  for (auto& [key, record] : like_a.records) {
    const auto before = a.records.find(key);
    if (before == a.records.end()) return false;
    record.renewed = before->second.renewed;
    record.write = before->second.write;
  }
  return like_a == a;
}

std::string PrintList(const std::vector<model::PodRef>& list) {
  boost::json::array items;
  for (const model::PodRef& pod : list) {
    items.push_back(boost::json::object{
        {"namespace", pod.ns.text()}, {"name", pod.name.text()}, {"uid", pod.uid.text()}});
  }
  return boost::json::serialize(items);
}

}  // namespace

Wish WishOf(const Pod& pod) {
  switch (pod.ref.name.text().front()) {
    case 'p': return {.count = 2};
    case 's': return {.mode = AllocationMode::kShared};
    case 'c': return {.is_enforced = false};
    case 'd': return {.count = 2, .is_enforced = false};
    case 'q': return {.count = 0, .is_enforced = false};
    default: return {};
  }
}

NodeName NodeNamed(int index) { return NodeName("n" + std::to_string(index)); }

std::optional<model::Allocation> HeldBy(const Pod& pod) {
  if (!pod.is_bound() || pod.is_terminal()) return std::nullopt;
  if (pod.requests.others.Of(kGpuPart) > 0) {
    model::Allocation part;
    part.pod = pod.ref.uid;
    part.gpus.node = pod.node;
    part.is_enforced = false;
    return part;
  }
  auto allocation = model::ParseResultAnnotations(pod.ref.uid, pod.annotations);
  if (!allocation) return std::nullopt;
  return *std::move(allocation);
}

ResourceVersion Server::version() const { return ResourceVersion(std::to_string(revision_)); }

const Leases& Server::leases(const Namespace& ns) const {
  static const Leases kNone;
  const auto found = leases_.find(ns);
  return found == leases_.end() ? kNone : found->second;
}

const std::vector<Change>& Server::lease_history(const Namespace& ns) const {
  static const std::vector<Change> kNone;
  const auto found = lease_history_.find(ns);
  return found == lease_history_.end() ? kNone : found->second;
}

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
  if (IsUntouchable(touch.pod.uid)) {
    answer.outcome = WriteOutcome::kRefused;
    return answer;
  }
  // A patch that changes nothing is not stored.
  std::string& message = messages_[touch.pod.name.text()];
  if (std::exchange(message, touch.message) != touch.message) Store(*pod);
  answer.outcome = WriteOutcome::kDone;
  answer.node = pod->node;
  answer.resource_version = pod->resource_version;
  return answer;
}

WriteOutcome Server::Create(const Namespace& ns, const model::CreateLease& create) {
  if (leases_[ns].contains(create.lease.name)) return WriteOutcome::kAlreadyExists;
  GpuLease lease = create.lease;
  lease.uid = LeaseUid("l" + std::to_string(++uids_));
  Store(ns, std::move(lease));
  return WriteOutcome::kDone;
}

WriteOutcome Server::Update(const Namespace& ns, const model::UpdateLease& update) {
  const auto lease = leases_[ns].find(update.lease.name);
  if (lease == leases_[ns].end()) return WriteOutcome::kNotFound;
  const bool is_same = lease->second.uid == update.lease.uid &&
                       lease->second.resource_version == update.lease.resource_version;
  if (!is_same) return WriteOutcome::kConflict;
  Store(ns, update.lease);
  return WriteOutcome::kDone;
}

WriteOutcome Server::Delete(const Namespace& ns, const model::DeleteLease& remove) {
  const auto lease = leases_[ns].find(remove.name);
  if (lease == leases_[ns].end()) return WriteOutcome::kNotFound;
  const bool is_same =
      lease->second.uid == remove.uid && lease->second.resource_version == remove.resource_version;
  if (!is_same) return WriteOutcome::kConflict;
  Remove(ns, lease->second);
  return WriteOutcome::kDone;
}

WriteOutcome Server::LookUp(const model::PodRef& ref) const {
  const auto pod = pods_.find(ref.name.text());
  const bool is_there = pod != pods_.end() && pod->second.ref.uid == ref.uid;
  return is_there ? WriteOutcome::kDone : WriteOutcome::kNotFound;
}

FenceAnswer Server::Ask(const FenceSelf& self, const FenceRequest& request) {
  if (const auto* create = std::get_if<CreateFence>(&request)) return Create(create->fence);
  if (const auto* put = std::get_if<PutFence>(&request)) return Put(put->fence);
  if (const auto* earlier = std::get_if<EarlierRequest>(&request)) {
    return Ask(EarlierKey(self.release_namespace, EarlierElectionName(self.scheduler)), *earlier);
  }
  if (!fence_) return {.outcome = WriteOutcome::kNotFound};
  return {.outcome = WriteOutcome::kDone, .fence = fence_};
}

FenceAnswer Server::Create(FenceLease fence) {
  if (fence_) return {.outcome = WriteOutcome::kAlreadyExists};
  fence.metadata.uid = LeaseUid("f" + std::to_string(++uids_));
  Store(std::move(fence));
  return {.outcome = WriteOutcome::kDone, .fence = fence_};
}

// Whoever names no UID makes it where there is none, and whoever names no version replaces any.
FenceAnswer Server::Put(FenceLease fence) {
  LeaseMetadata& metadata = fence.metadata;
  if (!fence_ && metadata.uid.empty()) return Create(std::move(fence));
  if (!fence_) return {.outcome = WriteOutcome::kNotFound};
  const LeaseMetadata& stored = fence_->metadata;
  const bool is_same = metadata.uid.empty() || metadata.uid == stored.uid;
  const bool is_current =
      metadata.resource_version.empty() || metadata.resource_version == stored.resource_version;
  if (!is_same || !is_current) return {.outcome = WriteOutcome::kConflict};
  metadata.uid = stored.uid;
  Store(std::move(fence));
  return {.outcome = WriteOutcome::kDone, .fence = fence_};
}

FenceAnswer Server::Ask(const EarlierKey& key, const EarlierRequest& request) {
  const auto found = earlier_.find(key);
  const bool is_there = found != earlier_.end();
  if (std::holds_alternative<ReadEarlier>(request)) {
    if (!is_there) return {.outcome = WriteOutcome::kNotFound};
    return {.outcome = WriteOutcome::kDone, .earlier = found->second};
  }
  const auto* create = std::get_if<CreateEarlier>(&request);
  if (create != nullptr && is_there) return {.outcome = WriteOutcome::kAlreadyExists};
  if (create == nullptr && !is_there) return {.outcome = WriteOutcome::kNotFound};
  EarlierElection lease = create != nullptr ? create->lease : std::get<PutEarlier>(request).lease;
  const bool is_current =
      !is_there || lease.metadata.resource_version == found->second.metadata.resource_version;
  if (!is_current) return {.outcome = WriteOutcome::kConflict};
  lease.metadata.uid =
      is_there ? found->second.metadata.uid : LeaseUid("e" + std::to_string(++uids_));
  (void)NextRevision();
  lease.metadata.resource_version = version();
  earlier_.insert_or_assign(key, lease);
  return {.outcome = WriteOutcome::kDone, .earlier = std::move(lease)};
}

void Server::LeaveEarlierElection(const Namespace& ns, const SchedulerName& scheduler,
                                  const std::vector<model::PodRef>& list) {
  EarlierElection lease;
  lease.metadata.ns = ns;
  lease.metadata.name = EarlierElectionName(scheduler);
  lease.metadata.uid = LeaseUid("e" + std::to_string(++uids_));
  lease.metadata.annotations = {{"gpu.scheduling/in-flight-format", "1"},
                                {"gpu.scheduling/in-flight", PrintList(list)}};
  (void)NextRevision();
  lease.metadata.resource_version = version();
  earlier_.insert_or_assign(EarlierKey(ns, lease.metadata.name), std::move(lease));
}

void Server::CreatePod(const std::string& name, const SchedulerName& scheduler) {
  if (pods_.contains(name)) return;
  Pod& pod = pods_[name];
  pod.ref = {Namespace("default"), PodName(name), PodUid("u" + std::to_string(++uids_))};
  pod.scheduler = scheduler;
  const Wish wish = WishOf(pod);
  if (!wish.is_enforced) pod.requests.gpus = static_cast<std::int64_t>(wish.count);
  if (wish.is_part()) pod.requests.others.emplace(kGpuPart, 1);
  messages_.erase(name);
  Store(pod);
}

void Server::DeletePod(const std::string& name) {
  const auto pod = pods_.find(name);
  if (pod == pods_.end()) return;
  if (!pod->second.is_bound() || pod->second.is_terminating) {
    EndWorkload(pod->second.ref.uid);  // its kubelet says so before it goes
    return ForceDeletePod(name);
  }
  pod->second.is_terminating = true;
  Store(pod->second);
}

void Server::ForceDeletePod(const std::string& name) {
  const auto pod = pods_.find(name);
  if (pod == pods_.end()) return;
  const std::uint64_t revision = NextRevision();
  pod_history_.push_back({revision, model::PodGone{pod->second.ref, version()}});
  untouchable_.erase(pod->second.ref.uid);
  pods_.erase(pod);
}

void Server::FinishPod(const std::string& name) {
  const auto pod = pods_.find(name);
  if (pod == pods_.end() || !pod->second.is_bound()) return;
  EndWorkload(pod->second.ref.uid);
  pod->second.phase = model::PodPhase::kSucceeded;
  pod->second.had_running_container = false;
  Store(pod->second);
}

void Server::RunPod(const std::string& name) {
  const auto pod = pods_.find(name);
  if (pod == pods_.end() || workloads_.contains(pod->second.ref.uid)) return;
  const auto held = HeldBy(pod->second);
  if (!held || !IsShown(*held, ToString(pod->second.ref))) return;
  workloads_.emplace(pod->second.ref.uid, Workload{.pod = pod->second.ref, .held = *held});
  pod->second.phase = model::PodPhase::kRunning;
  pod->second.had_running_container = true;
  Store(pod->second);
}

bool Server::IsShown(const model::Allocation& held, const std::string& pod) const {
  const auto report = reports_.find(held.gpus.node);
  if (report == reports_.end()) return false;
  return std::ranges::all_of(held.gpus.ids, [&](GpuId gpu) {
    const auto& device = report->second.machine.devices[static_cast<std::size_t>(gpu.number())];
    return std::ranges::find(device.in_use_by, pod) != device.in_use_by.end();
  });
}

void Server::FailPod(const std::string& name) {
  const auto pod = pods_.find(name);
  if (pod == pods_.end() || !pod->second.is_bound() || pod->second.is_terminal()) return;
  pod->second.phase = model::PodPhase::kFailed;
  Store(pod->second);
}

void Server::EndWorkload(const PodUid& pod) {
  const auto workload = workloads_.find(pod);
  if (workload == workloads_.end() || workload->second.ended) return;
  workload->second.ended = NextRevision();
}

std::vector<PodUid> Server::LeftBehind() const {
  std::vector<PodUid> left;
  for (const auto& [uid, workload] : workloads_) {
    const auto pod = pods_.find(workload.pod.name.text());
    const bool is_live =
        pod != pods_.end() && pod->second.ref.uid == uid && !pod->second.is_terminal();
    if (!workload.ended && !is_live) left.push_back(uid);
  }
  return left;
}

void Server::Report(model::MachineSeen report) {
  const std::uint64_t revision = NextRevision();
  report.resource_version = version();
  report_history_.push_back({revision, report});
  reports_.insert_or_assign(report.node, std::move(report));
}

void Server::PokePod(const std::string& name) {
  const auto pod = pods_.find(name);
  if (pod != pods_.end()) Store(pod->second);
}

void Server::RefuseTouches(const std::string& name) {
  const auto pod = pods_.find(name);
  if (pod == pods_.end()) return;
  if (untouchable_.erase(pod->second.ref.uid) == 0) untouchable_.insert(pod->second.ref.uid);
}

void Server::DeleteLeaseByHand(const Namespace& ns, const LeaseName& name) {
  const auto lease = leases_[ns].find(name);
  if (lease != leases_[ns].end()) Remove(ns, lease->second);
}

void Server::EditLease(const Namespace& ns, const LeaseName& name, int how) {
  const auto found = leases_[ns].find(name);
  if (found == leases_[ns].end()) return;
  GpuLease lease = found->second;
  switch (how % 3) {
    case 0: lease.holders.clear(); break;
    case 1: lease.mode = AllocationMode::kShared; break;
    default:
      lease.holders = {{{Namespace("default"), PodName("nobody"), PodUid("nobody")}, {}, {}}};
  }
  Store(ns, std::move(lease));
}

void Server::DeleteFence() {
  if (!fence_) return;
  (void)NextRevision();
  fence_.reset();
}

// As whoever reads it finds it: it says how many records it had.
void Server::RemoveRecord(const std::string& key) {
  if (!fence_ || fence_->records.erase(key) + fence_->unreadable.erase(key) == 0) return;
  if (!fence_->unsettled) fence_->unsettled = "incomplete at " + std::to_string(revision_ + 1);
  Store(*std::move(fence_));
}

void Server::SpoilRecord(const std::string& key) {
  if (!fence_ || fence_->records.erase(key) == 0) return;
  fence_->unreadable[key] = "spoilt";
  Store(*std::move(fence_));
}

Pod* Server::Find(const model::PodRef& ref) {
  const auto pod = pods_.find(ref.name.text());
  return pod == pods_.end() || pod->second.ref.uid != ref.uid ? nullptr : &pod->second;
}

void Server::Store(Pod& pod) {
  const std::uint64_t revision = NextRevision();
  pod.resource_version = version();
  pod_history_.push_back({revision, model::PodSeen{pod}});
}

void Server::Store(const Namespace& ns, GpuLease lease) {
  const std::uint64_t revision = NextRevision();
  lease.resource_version = version();
  lease_history_[ns].push_back({revision, model::LeaseSeen{lease}});
  leases_[ns].insert_or_assign(lease.name, std::move(lease));
}

void Server::Store(FenceLease fence) {
  const bool is_news = !fence_ || !IsSameNews(*fence_, fence);
  ++revision_;
  if (is_news) last_news_ = revision_;
  fence.metadata.resource_version = version();
  fence_ = std::move(fence);
}

void Server::Remove(const Namespace& ns, const GpuLease& lease) {
  const std::uint64_t revision = NextRevision();
  lease_history_[ns].push_back({revision, model::LeaseGone{lease.name, lease.uid}});
  leases_[ns].erase(LeaseName(lease.name));
}

}  // namespace gs::kube::simulation
