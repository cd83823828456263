#include "core/commit/lease_writes.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "core/commit/sharing.h"

namespace gs::commit {
namespace {

using model::GpuLease;
using model::LeaseHolder;
using model::WriteOutcome;

// How long the view may take to show a write, or a pod that is there.
constexpr Duration kViewPatience = std::chrono::seconds(5);
constexpr std::size_t kMostUnderWay = 16;

LeaseHolder HolderFor(const KnownPod& pod, AttemptId attempt) {
  return {.pod = pod.ref, .plan = pod.allocation->gpus.ids, .attempt = std::move(attempt)};
}

// Puts in whoever holds the GPU and may hold it together with those who are there.
void AddMissing(const std::vector<const KnownPod*>& claimants, const AttemptId& attempt,
                GpuLease& lease) {
  for (const KnownPod* pod : claimants) {
    if (FindHolder(lease, pod->ref.uid) != nullptr) continue;
    if (lease.holders.empty() || MayShare(RightOf(lease), RightOf(*pod->allocation))) {
      lease.holders.push_back(HolderFor(*pod, attempt));
    }
  }
}

std::vector<const KnownPod*> OfScheduler(std::vector<const KnownPod*> pods,
                                         const SchedulerName& scheduler) {
  std::erase_if(pods, [&](const KnownPod* pod) { return pod->scheduler != scheduler; });
  return pods;
}

GpuId GpuOf(const model::Allocation& allocation, const LeaseName& lock) {
  const auto& ids = allocation.gpus.ids;
  return *std::find_if(ids.begin(), ids.end(), [&](GpuId id) {
    return model::LeaseNameOf(allocation.gpus.node, id) == lock;
  });
}

}  // namespace

bool LeaseWrites::Look::IsClaimedBy(const PodUid& pod) const {
  return std::any_of(claimants.begin(), claimants.end(),
                     [&pod](const KnownPod* each) { return each->ref.uid == pod; });
}

LeaseWrites::LeaseWrites(SchedulerName scheduler, std::string leader)
    : scheduler_(std::move(scheduler)), leader_(std::move(leader)) {}

void LeaseWrites::LeaseChanged(const LeaseName& lock) {
  Mark(lock);
  const auto gate = gates_.find(lock);
  if (gate == gates_.end()) return;
  gate->second.has_changed = true;
  if (gate->second.outstanding.empty()) gates_.erase(gate);
}

void LeaseWrites::SetReleasing(std::set<PodUid> pods, const Observed& observed) {
  std::swap(releasing_, pods);
  for (const PodUid& pod : pods) {
    for (const LeaseName& lock : observed.LeasesNaming(pod)) Mark(lock);
  }
}

void LeaseWrites::Answered(const model::LeaseAnswered& answer, TimePoint now) {
  const auto found = gates_.find(answer.lease);
  if (found == gates_.end() || found->second.outstanding != answer.attempt) return;
  Mark(answer.lease);
  Gate& gate = found->second;
  gate.outstanding = {};
  --under_way_;
  if (gate.has_changed) {
    gates_.erase(found);
    return;
  }
  switch (answer.outcome) {
    case WriteOutcome::kNotExecuted:
    case WriteOutcome::kRefused: gate.not_before = now + BackoffAfter(++gate.failures); break;
    default: gate.not_before = now + kViewPatience; break;
  }
}

void LeaseWrites::Answered(const model::PodLookedUp& answer, const Observed& observed,
                           TimePoint now) {
  for (const LeaseName& lock : observed.LeasesNaming(answer.pod.uid)) Mark(lock);
  const auto found = questions_.find(answer.pod.uid);
  if (found == questions_.end()) return;
  Question& question = found->second;
  if (std::exchange(question.is_asked, false)) --under_way_;
  const bool is_there = answer.outcome == WriteOutcome::kDone;
  question.not_before = now + (is_there ? kViewPatience : BackoffAfter(++question.failures));
}

void LeaseWrites::Evaluate(Turn& turn, std::vector<Report>& reports) {
  std::vector<LeaseName> now_due;
  for (const auto& [lease, at] : due_) {
    if (at <= turn.now) now_due.push_back(lease);
  }
  for (const LeaseName& lease : now_due) {
    if (under_way_ >= kMostUnderWay) return;  // goes on with the answers
    due_.erase(lease);
    LookAt({.lock = lease,
            .lease = turn.observed.FindLease(lease),
            .claimants = turn.observed.HoldersOf(lease)},
           turn, reports);
  }
}

std::optional<TimePoint> LeaseWrites::NextWake() const {
  std::optional<TimePoint> wake;
  if (under_way_ >= kMostUnderWay) return wake;
  for (const auto& [lock, at] : due_) wake = Earlier(wake, at);
  return wake;
}

void LeaseWrites::LookAt(Look look, Turn& turn, std::vector<Report>& reports) {
  FindKept(look, turn);
  ReportDoubles(look, reports);
  if (const auto gate = gates_.find(look.lock); gate != gates_.end()) {
    if (!gate->second.outstanding.empty()) return;  // marked again by the answer
    if (gate->second.not_before > turn.now) return LookAgain(look.lock, gate->second.not_before);
  }
  if (look.lease != nullptr) return Correct(look, turn);
  CreateMissing(look, turn);
}

void LeaseWrites::FindKept(Look& look, Turn& turn) {
  if (look.lease == nullptr) return;
  for (const LeaseHolder& holder : look.lease->holders) {
    const Standing standing = StandingOf(holder, look, turn.observed);
    if (standing == Standing::kQuestion) {
      Ask(holder.pod, look.lock, turn);
    } else {
      Unask(holder.pod.uid);
    }
    if (standing != Standing::kWrong) look.kept.push_back(&holder);
  }
}

LeaseWrites::Standing LeaseWrites::StandingOf(const LeaseHolder& holder, const Look& look,
                                              const Observed& observed) const {
  const PodUid& uid = holder.pod.uid;
  const bool is_ours = look.lease->scheduler == scheduler_;
  if (releasing_.contains(uid)) return Standing::kRight;
  if (look.IsClaimedBy(uid)) return Standing::kRight;
  const KnownPod* pod = observed.FindPod(uid);
  if (pod == nullptr) return observed.IsGone(uid) ? Standing::kWrong : Standing::kQuestion;
  if (pod->is_terminal) return Standing::kWrong;
  if (!is_ours) return Standing::kRight;
  if (!pod->is_bound) return Standing::kWrong;
  if (!pod->allocation) return Standing::kRight;  // it cannot be told which GPUs it has
  return Standing::kWrong;
}

void LeaseWrites::Correct(const Look& look, Turn& turn) {
  const GpuLease& lease = *look.lease;
  const bool is_ours = lease.scheduler == scheduler_;
  const auto ours = OfScheduler(look.claimants, scheduler_);
  const bool is_handed_on = look.kept.empty() && is_ours && !ours.empty();
  if (look.kept.empty() && !is_handed_on) {
    const AttemptId attempt = NextAttempt();
    Begin(look.lock, attempt);
    turn.commands.emplace_back(
        model::DeleteLease{lease.name, lease.uid, lease.resource_version, attempt});
    return;
  }
  GpuLease wanted = lease;
  wanted.holders.clear();
  for (const LeaseHolder* holder : look.kept) wanted.holders.push_back(*holder);
  const AttemptId attempt = NextAttempt();
  if (is_handed_on) {
    wanted.mode = ours.front()->allocation->mode;
    wanted.controller = ours.front()->allocation->controller;
  }
  if (is_ours) AddMissing(ours, attempt, wanted);
  if (wanted.holders == lease.holders) return;
  Begin(look.lock, attempt);
  turn.commands.emplace_back(model::UpdateLease{std::move(wanted), attempt});
}

void LeaseWrites::CreateMissing(const Look& look, Turn& turn) {
  const auto claimants = OfScheduler(look.claimants, scheduler_);
  if (claimants.empty()) return;
  const model::Allocation& first = *claimants.front()->allocation;
  const AttemptId attempt = NextAttempt();
  Begin(look.lock, attempt);
  GpuLease lease{.name = look.lock,
                 .uid = {},
                 .resource_version = {},
                 .node = first.gpus.node,
                 .gpu = GpuOf(first, look.lock),
                 .scheduler = scheduler_,
                 .mode = first.mode,
                 .controller = first.controller,
                 .holders = {}};
  AddMissing(claimants, attempt, lease);
  turn.commands.emplace_back(model::CreateLease{std::move(lease), attempt});
}

void LeaseWrites::ReportDoubles(const Look& look, std::vector<Report>& reports) {
  std::set<model::PodRef> clashing;
  for (auto a = look.claimants.begin(); a != look.claimants.end(); ++a) {
    for (auto b = std::next(a); b != look.claimants.end(); ++b) {
      if (MayShare(RightOf(*(*a)->allocation), RightOf(*(*b)->allocation))) continue;
      clashing.insert({(*a)->ref, (*b)->ref});
    }
  }
  if (clashing.empty()) {
    reported_.erase(look.lock);
  } else if (std::exchange(reported_[look.lock], clashing) != clashing) {
    reports.emplace_back(DoubleAllocation{look.lock, {clashing.begin(), clashing.end()}});
  }
}

void LeaseWrites::Ask(const model::PodRef& pod, const LeaseName& lock, Turn& turn) {
  Question& question = questions_[pod.uid];
  if (question.is_asked) return;  // marked again by the answer
  if (question.not_before > turn.now) return LookAgain(lock, question.not_before);
  question.is_asked = true;
  ++under_way_;
  turn.commands.emplace_back(model::LookUpPod{pod});
}

void LeaseWrites::Unask(const PodUid& pod) {
  const auto question = questions_.find(pod);
  if (question == questions_.end()) return;
  if (question->second.is_asked) --under_way_;
  questions_.erase(question);
}

void LeaseWrites::LookAgain(const LeaseName& lock, TimePoint at) {
  const auto [due, is_new] = due_.emplace(lock, at);
  if (!is_new) due->second = std::min(due->second, at);
}

AttemptId LeaseWrites::NextAttempt() {
  return AttemptId(leader_ + "/lock/" + std::to_string(++attempts_));
}

void LeaseWrites::Begin(const LeaseName& lock, const AttemptId& attempt) {
  Gate& gate = gates_[lock];
  gate.outstanding = attempt;
  ++under_way_;
  gate.has_changed = false;
}

}  // namespace gs::commit
