#include "core/commit/lease_rule.h"

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

// While Leases and annotations of a pod disagree, both count as its GPUs, and no new Lease may make
// one of them look like the truth.
std::vector<const KnownPod*> ThoseToBelieve(std::vector<const KnownPod*> claimants,
                                            const Observed& observed) {
  std::erase_if(claimants, [&](const KnownPod* pod) {
    return observed.IsContradicted(*pod) && !observed.IsCertain(*pod);
  });
  return claimants;
}

GpuId GpuOf(const model::Allocation& allocation, const LeaseName& lock) {
  const auto& ids = allocation.gpus.ids;
  return *std::find_if(ids.begin(), ids.end(), [&](GpuId id) {
    return model::LeaseNameOf(allocation.gpus.node, id) == lock;
  });
}

}  // namespace

bool LeaseRule::Look::IsClaimedBy(const PodUid& pod) const {
  return std::any_of(claimants.begin(), claimants.end(),
                     [&pod](const KnownPod* each) { return each->ref.uid == pod; });
}

bool LeaseRule::Look::IsOfOne() const {
  if (claimants.size() > 1 || kept.size() > 1) return false;
  return claimants.empty() || kept.empty() || IsClaimedBy(kept.front()->pod.uid);
}

bool LeaseRule::Look::IsRight() const {
  return kept.size() == lease->holders.size() &&
         std::all_of(claimants.begin(), claimants.end(), [this](const KnownPod* pod) {
           return FindHolder(*lease, pod->ref.uid) != nullptr;
         });
}

LeaseRule::LeaseRule(SchedulerName scheduler, std::string leader)
    : scheduler_(std::move(scheduler)), leader_(std::move(leader)) {}

void LeaseRule::LeaseChanged(const LeaseName& lock) {
  Mark(lock);
  const auto gate = gates_.find(lock);
  if (gate == gates_.end()) return;
  gate->second.has_changed = true;
  if (gate->second.outstanding.empty()) gates_.erase(gate);
}

void LeaseRule::Expect(const LeaseName& lock, TimePoint now) {
  gates_[lock].not_before = now + kViewPatience;
  Mark(lock);
}

void LeaseRule::SetReleasing(std::set<PodUid> pods, const Observed& observed) {
  std::swap(releasing_, pods);
  for (const PodUid& pod : pods) {
    for (const LeaseName& lock : observed.LeasesNaming(pod)) Mark(lock);
  }
}

void LeaseRule::Answered(const model::LeaseAnswered& answer, TimePoint now) {
  const auto found = gates_.find(answer.lease);
  if (found == gates_.end() || found->second.outstanding != answer.attempt) return;
  Mark(answer.lease);
  Gate& gate = found->second;
  gate.outstanding = {};
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

void LeaseRule::Answered(const model::PodLookedUp& answer, const Observed& observed,
                         TimePoint now) {
  for (const LeaseName& lock : observed.LeasesNaming(answer.pod.uid)) Mark(lock);
  const auto found = questions_.find(answer.pod.uid);
  if (found == questions_.end()) return;
  Question& question = found->second;
  question.is_asked = false;
  const bool is_there = answer.outcome == WriteOutcome::kDone;
  question.not_before = now + (is_there ? kViewPatience : BackoffAfter(++question.failures));
}

void LeaseRule::Evaluate(const InFlight& in_flight, Turn& turn, std::vector<Report>& reports) {
  std::vector<LeaseName> now_due;
  for (const auto& [lock, at] : due_) {
    if (at <= turn.now) now_due.push_back(lock);
  }
  for (const LeaseName& lock : now_due) {
    due_.erase(lock);
    LookAt({.lock = lock,
            .lease = turn.observed.FindLease(lock),
            .claimants = turn.observed.HoldersOf(lock),
            .in_flight = in_flight(lock)},
           turn, reports);
  }
}

std::optional<TimePoint> LeaseRule::NextWake() const {
  std::optional<TimePoint> wake;
  for (const auto& [lock, at] : due_) wake = Earlier(wake, at);
  return wake;
}

void LeaseRule::LookAt(Look look, Turn& turn, std::vector<Report>& reports) {
  FindKept(look, turn);
  ReportDoubles(look, turn.observed, reports);
  if (look.in_flight.is_writing) return;  // marked again when the flight is over
  if (const auto gate = gates_.find(look.lock); gate != gates_.end()) {
    if (!gate->second.outstanding.empty()) return;  // marked again by the answer
    if (gate->second.not_before > turn.now) return LookAgain(look.lock, gate->second.not_before);
  }
  if (look.lease != nullptr) return Correct(look, turn);
  CreateMissing(look, turn);
}

void LeaseRule::FindKept(Look& look, Turn& turn) {
  if (look.lease == nullptr) return;
  for (const LeaseHolder& holder : look.lease->holders) {
    const Standing standing = StandingOf(holder, look, turn.observed);
    if (standing == Standing::kQuestion) {
      Ask(holder.pod, look.lock, turn);
    } else {
      questions_.erase(holder.pod.uid);
    }
    if (standing != Standing::kWrong) look.kept.push_back(&holder);
  }
}

LeaseRule::Standing LeaseRule::StandingOf(const LeaseHolder& holder, const Look& look,
                                          const Observed& observed) const {
  const PodUid& uid = holder.pod.uid;
  const bool is_ours = look.lease->scheduler == scheduler_;
  if (releasing_.contains(uid)) return Standing::kRight;
  if (is_ours && look.in_flight.pods.contains(uid)) return Standing::kRight;
  if (look.IsClaimedBy(uid)) return Standing::kRight;
  const KnownPod* pod = observed.FindPod(uid);
  if (pod == nullptr) return observed.IsGone(uid) ? Standing::kWrong : Standing::kQuestion;
  if (pod->is_terminal) return Standing::kWrong;
  if (!is_ours) return Standing::kRight;
  if (!pod->is_bound) return Standing::kWrong;
  if (!pod->allocation) return Standing::kRight;  // it cannot be told which GPUs it has
  const std::vector<LeaseName> locks = LocksOf(*pod->allocation);
  if (std::find(locks.begin(), locks.end(), look.lock) != locks.end()) return Standing::kRight;
  // Left over by an earlier try, or what the pod had before somebody edited its annotations.
  return observed.IsCertain(*pod) ? Standing::kWrong : Standing::kRight;
}

void LeaseRule::Correct(const Look& look, Turn& turn) {
  const GpuLease& lease = *look.lease;
  if (!look.kept.empty() && look.IsRight()) return;
  if (look.kept.empty()) {
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
  if (lease.scheduler == scheduler_) {
    AddMissing(ThoseToBelieve(look.claimants, turn.observed), attempt, wanted);
  }
  if (wanted.holders == lease.holders) return;
  Begin(look.lock, attempt);
  turn.commands.emplace_back(model::UpdateLease{std::move(wanted), attempt});
}

void LeaseRule::CreateMissing(const Look& look, Turn& turn) {
  const auto claimants = ThoseToBelieve(look.claimants, turn.observed);
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

void LeaseRule::ReportDoubles(const Look& look, const Observed& observed,
                              std::vector<Report>& reports) {
  if (look.IsOfOne()) {
    reported_.erase(look.lock);
    return;
  }
  std::map<model::PodRef, Right> holders;
  for (const KnownPod* pod : look.claimants) holders.emplace(pod->ref, RightOf(*pod->allocation));
  for (const LeaseHolder* holder : look.kept) {
    const KnownPod* pod = observed.FindPod(holder->pod.uid);
    if (pod != nullptr && pod->is_holding()) holders.emplace(pod->ref, RightOf(*look.lease));
  }
  std::set<model::PodRef> clashing;
  for (auto a = holders.begin(); a != holders.end(); ++a) {
    for (auto b = std::next(a); b != holders.end(); ++b) {
      if (!MayShare(a->second, b->second)) clashing.insert({a->first, b->first});
    }
  }
  if (clashing.empty()) {
    reported_.erase(look.lock);
  } else if (std::exchange(reported_[look.lock], clashing) != clashing) {
    reports.emplace_back(DoubleAllocation{look.lock, {clashing.begin(), clashing.end()}});
  }
}

void LeaseRule::Ask(const model::PodRef& pod, const LeaseName& lock, Turn& turn) {
  Question& question = questions_[pod.uid];
  if (question.is_asked) return;  // marked again by the answer
  if (question.not_before > turn.now) return LookAgain(lock, question.not_before);
  question.is_asked = true;
  turn.commands.emplace_back(model::LookUpPod{pod});
}

void LeaseRule::LookAgain(const LeaseName& lock, TimePoint at) {
  const auto [due, is_new] = due_.emplace(lock, at);
  if (!is_new) due->second = std::min(due->second, at);
}

AttemptId LeaseRule::NextAttempt() {
  return AttemptId(leader_ + "/lock/" + std::to_string(++attempts_));
}

void LeaseRule::Begin(const LeaseName& lock, const AttemptId& attempt) {
  Gate& gate = gates_[lock];
  gate.outstanding = attempt;
  gate.has_changed = false;
}

}  // namespace gs::commit
