#include "core/commit/takeover.h"

#include <cstddef>
#include <utility>

namespace gs::commit {
namespace {

using model::Kind;
using model::WriteOutcome;

// Touches under way at a time, when there are thousands.
constexpr std::size_t kMaxTouches = 64;

}  // namespace

Takeover::Takeover(const model::LeadershipWon& won, SchedulerName scheduler, AttemptId attempt,
                   const Rules& rules)
    : scheduler_(std::move(scheduler)),
      attempt_(std::move(attempt)),
      rules_(rules),
      touches_all_(!won.is_list_known && rules.touch_all),
      has_inherited_(!won.is_list_known || !won.unresolved.empty()),
      pods_(Kind::kPod),
      leases_(Kind::kLease) {
  for (const model::PodRef& pod : won.unresolved) Touch(pod);
  // The takeover was a write to a Lease, so it has a version that views of Leases come to.
  leases_.Require(won.takeover);
}

void Takeover::Begin(Turn& turn) {
  pods_.Begin(turn);
  leases_.Begin(turn);
  if (touches_all_) {
    for (const auto& [uid, pod] : turn.observed.pods()) TouchIfUnbound(pod);
  }
  if (WantsAVersion(turn.observed)) TouchAnyThatWaits(turn.observed);
  Check(turn);
}

void Takeover::Answered(const model::TouchAnswered& answer, Turn& turn) {
  const auto touch = touches_.find(answer.pod);
  if (answer.attempt != attempt_ || touch == touches_.end()) return;
  if (!touch->second.Settles(answer, turn.now)) return;
  touches_.erase(touch);
  if (answer.outcome == WriteOutcome::kDone && rules_.touch_seen) {
    pods_.Require(answer.resource_version);
  }
  Check(turn);
}

void Takeover::Answered(const model::RevisionAnswered& answer, Turn& turn) {
  pods_.Answered(answer, turn);
  leases_.Answered(answer, turn);
  Check(turn);
}

void Takeover::PodChanged(const PodUid& pod, Turn& turn) {
  if (is_done_) return;
  // What appears later was not there when we took over.
  const bool may_be_inherited = !pods_.HasBegun(turn.observed) && rules_.touch_late;
  if (!(touches_all_ ? may_be_inherited : WantsAVersion(turn.observed))) return;
  if (const KnownPod* known = turn.observed.FindPod(pod)) TouchIfUnbound(*known);
  Check(turn);
}

void Takeover::PodIsGone(const PodUid& pod, Turn& turn) {
  if (touches_.erase(pod) != 0) Check(turn);
}

void Takeover::ViewChanged(Turn& turn) { Check(turn); }

void Takeover::Tick(Turn& turn) {
  if (is_done_) return;
  for (auto& [uid, touch] : touches_) touch.Tick(turn);
  pods_.Tick(turn);
  leases_.Tick(turn);
  Check(turn);
}

std::optional<TimePoint> Takeover::NextWake(const Observed& observed) const {
  if (is_done_) return std::nullopt;
  auto wake = Earlier(pods_.NextWake(observed), leases_.NextWake(observed));
  for (const auto& [uid, touch] : touches_) wake = Earlier(wake, touch.next_wake());
  return wake;
}

void Takeover::Touch(const model::PodRef& pod) {
  if (rules_.touch && met_.insert(pod.uid).second) waiting_.push_back(pod);
}

void Takeover::TouchIfUnbound(const KnownPod& pod) {
  if (pod.scheduler == scheduler_ && !pod.is_bound && !pod.is_terminal) Touch(pod.ref);
}

// With a rule off, this touch might stand in for one that is missing because of it.
bool Takeover::WantsAVersion(const Observed& observed) const {
  return met_.empty() && rules_ == Rules() && !pods_.Holds(observed);
}

void Takeover::TouchAnyThatWaits(const Observed& observed) {
  for (const auto& [uid, pod] : observed.pods()) {
    TouchIfUnbound(pod);
    if (!waiting_.empty()) return;
  }
}

void Takeover::SendTouches(Turn& turn) {
  while (!waiting_.empty() && touches_.size() < kMaxTouches) {
    model::PodRef pod = std::move(waiting_.front());
    waiting_.pop_front();
    PodUid uid = pod.uid;
    touches_.emplace(std::move(uid), PodTouch(std::move(pod), attempt_)).first->second.Send(turn);
  }
}

void Takeover::Check(Turn& turn) {
  SendTouches(turn);
  if (!touches_.empty()) return;
  const bool is_fresh = pods_.Holds(turn.observed) && leases_.Holds(turn.observed);
  is_done_ = is_done_ || is_fresh || !rules_.fresh;
}

}  // namespace gs::commit
