#include "core/commit/simulation/replica.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace gs::commit::simulation {

using model::AllocationMode;
using model::GpuLease;
using model::Pod;
using model::WriteOutcome;

Replica::Replica(ReplicaSettings settings)
    : settings_(std::move(settings)),
      commit_({.scheduler = kScheduler, .leader = settings_.name, .rules = settings_.rules}) {}

std::vector<Sent> Replica::Run(TimePoint now) {
  std::vector<Sent> sent;
  if (is_lost_) return sent;
  if (commit_.is_ready()) Decide(now);
  Output output = commit_.Tick(now);
  for (const Report& report : output.reports) Take(report, now);
  for (model::Command& command : output.commands) {
    if (auto* list = std::get_if<model::ListInFlight>(&command)) {
      wanted_ = std::move(*list);  // the newest counts
    } else {
      sent.emplace_back(std::move(command));
    }
  }
  const bool has_news = wanted_ && wanted_->revision > listed_;
  if (!has_news || is_putting_ || !election_) return sent;
  sent.emplace_back(*Renew());
  return sent;
}

void Replica::Apply(const model::Event& event, TimePoint now) {
  if (const auto* seen = std::get_if<model::PodSeen>(&event)) {
    const PodUid& uid = seen->pod.ref.uid;
    seen_.insert_or_assign(uid, seen->pod);
    if (seen->pod.is_bound()) assumed_.erase(uid);
  } else if (const auto* gone = std::get_if<model::PodGone>(&event)) {
    Forget(gone->pod.uid);
  }
  commit_.Apply(event, now);
}

void Replica::Forget(const PodUid& pod) {
  seen_.erase(pod);
  assumed_.erase(pod);
  not_before_.erase(pod);
}

std::optional<TimePoint> Replica::NextWake() const {
  if (is_lost_) return std::nullopt;
  std::optional<TimePoint> wake = commit_.NextWake();
  for (const auto& [uid, at] : not_before_) wake = wake ? std::min(*wake, at) : at;
  return wake;
}

void Replica::Take(const Report& report, TimePoint now) {
  const auto* finished = std::get_if<Finished>(&report);
  if (finished == nullptr || finished->is_bound()) return;
  assumed_.erase(finished->pod.uid);
  if (seen_.contains(finished->pod.uid)) {
    not_before_[finished->pod.uid] = now + std::chrono::seconds(1);
  }
}

void Replica::Decide(TimePoint now) {
  std::erase_if(not_before_, [&](const auto& entry) { return entry.second <= now; });
  for (const auto& [uid, pod] : seen_) {
    if (!MayBeDecided(pod)) continue;
    std::optional<Plan> plan = PlanFor(pod);
    if (!plan) continue;
    assumed_[uid] = plan->allocation;
    commit_.Start(*std::move(plan), now);
  }
}

bool Replica::MayBeDecided(const Pod& pod) const {
  const PodUid& uid = pod.ref.uid;
  return !pod.is_bound() && !pod.is_terminal() && !pod.is_terminating && !assumed_.contains(uid) &&
         !not_before_.contains(uid) && !commit_.IsInFlight(uid);
}

// The first GPUs with room.
std::optional<Plan> Replica::PlanFor(const Pod& pod) {
  const Wish wish = WishOf(pod);
  const std::size_t count = wish == Wish::kPair ? 2 : 1;
  Plan plan{.pod = pod.ref,
            .noted = pod.resource_version,
            .attempt = AttemptId(settings_.name + "/" + std::to_string(++attempts_)),
            .allocation = {},
            .locks = {}};
  plan.allocation.pod = pod.ref.uid;
  plan.allocation.gpus.node = kNode;
  plan.allocation.mode =
      wish == Wish::kShared ? AllocationMode::kShared : AllocationMode::kExclusive;
  for (int id = 0; id < settings_.gpus && plan.allocation.gpus.ids.size() < count; ++id) {
    if (HasRoom(GpuId(id), wish)) plan.allocation.gpus.ids.emplace_back(id);
  }
  if (plan.allocation.gpus.ids.size() < count) return std::nullopt;
  for (const GpuId gpu : plan.allocation.gpus.ids) plan.locks.push_back(LockFor(gpu, plan));
  return plan;
}

bool Replica::HasRoom(GpuId gpu, Wish wish) const {
  const auto has = [&](const model::Allocation& allocation) {
    const auto& ids = allocation.gpus.ids;
    return std::find(ids.begin(), ids.end(), gpu) != ids.end();
  };
  std::vector<AllocationMode> modes;
  for (const auto& [uid, pod] : seen_) {
    if (!pod.is_bound() || pod.is_terminal()) continue;
    const auto allocation = model::ParseResultAnnotations(uid, pod.annotations);
    if (allocation && has(*allocation)) modes.push_back(allocation->mode);
  }
  for (const auto& [uid, allocation] : assumed_) {
    if (has(allocation)) modes.push_back(allocation.mode);
  }
  const GpuLease* lease = commit_.observed().FindLease(model::LeaseNameOf(kNode, gpu));
  const int sharers = settings_.sharers;
  if (wish != Wish::kShared) {
    return modes.empty() && (lease == nullptr || !settings_.minds_leases);
  }
  const bool is_shared = std::all_of(modes.begin(), modes.end(), [](AllocationMode mode) {
    return mode == AllocationMode::kShared;
  });
  const bool may_join = lease == nullptr || (lease->mode == AllocationMode::kShared &&
                                             std::ssize(lease->holders) < sharers);
  return is_shared && std::ssize(modes) < sharers && (may_join || !settings_.minds_leases);
}

GpuLease Replica::LockFor(GpuId gpu, const Plan& plan) const {
  const LeaseName name = model::LeaseNameOf(kNode, gpu);
  const GpuLease* seen = commit_.observed().FindLease(name);
  const bool is_joined = seen != nullptr && seen->mode == AllocationMode::kShared &&
                         plan.allocation.mode == AllocationMode::kShared &&
                         std::ssize(seen->holders) < settings_.sharers;
  GpuLease lock;
  if (is_joined) {
    lock = *seen;
    std::erase_if(lock.holders, [&](const auto& each) { return each.pod.uid == plan.pod.uid; });
  } else {
    lock.name = name;
    lock.node = kNode;
    lock.gpu = gpu;
    lock.scheduler = kScheduler;
    lock.mode = plan.allocation.mode;
  }
  lock.holders.push_back({plan.pod, plan.allocation.gpus.ids, plan.attempt});
  return lock;
}

std::optional<ElectionPut> Replica::Campaign(const Server& server) {
  if (is_lost_ || is_putting_ || is_leading()) return std::nullopt;
  is_putting_ = true;
  ElectionPut put{.from = server.election(), .to = {}};
  if (put.from) put.to = *put.from;  // the list stays as it is
  put.to.holder = settings_.name;
  put.to.transitions += 1;
  put.to.write = ++writes_;
  return put;
}

std::optional<ElectionPut> Replica::Renew() {
  if (is_lost_ || is_putting_ || !is_leading()) return std::nullopt;
  is_putting_ = true;
  putting_ = listed_;
  ElectionPut put{.from = election_, .to = *election_};
  if (wanted_) {
    put.to.list = wanted_->pods;
    putting_ = wanted_->revision;
  }
  put.to.write = ++writes_;
  return put;
}

void Replica::PutAnswered(const ElectionAnswer& answer, const Server& server, TimePoint now) {
  if (is_lost_) return;
  is_putting_ = false;
  if (answer.outcome == WriteOutcome::kNotExecuted) return;
  // A plain success is believed, though somebody may have taken over since. Anything else is
  // resolved by reading.
  const bool is_plain = answer.outcome == WriteOutcome::kDone;
  const std::optional<Election> stored = is_plain ? answer.stored : server.election();
  const bool is_ours = stored && stored->holder == settings_.name;
  const bool is_done = is_ours && stored->write == answer.put.to.write;
  if (!is_leading()) {
    if (is_done) Won(*stored, now);
    return;
  }
  if (!is_ours) return Lost(now);
  election_ = *stored;
  if (!is_done) return;
  listed_ = putting_;
  if (listed_ > 0) Apply(model::InFlightListed{listed_}, now);
}

void Replica::Won(const Election& election, TimePoint now) {
  election_ = election;
  Apply(model::LeadershipWon{.transitions = election.transitions,
                             .takeover = ResourceVersion(std::to_string(election.version)),
                             .is_list_known = election.list.has_value(),
                             .unresolved = election.list.value_or(std::vector<model::PodRef>())},
        now);
}

void Replica::Lost(TimePoint now) {
  is_lost_ = true;
  Apply(model::LeadershipLost{"somebody else leads"}, now);
}

}  // namespace gs::commit::simulation
