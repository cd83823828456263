#include "core/commit/takeover.h"

#include <cstddef>
#include <utility>

namespace gs::commit {
namespace {

using model::WriteOutcome;

// Touches under way at a time, when there are thousands.
constexpr std::size_t kMaxTouches = 64;

// Kubernetes' own scheduler knows no fence, and gives nobody GPUs by their ids.
constexpr std::string_view kDefaultScheduler = "default-scheduler";

}  // namespace

Takeover::Takeover(const model::LeadershipWon& won, AttemptId attempt, const Rules& rules)
    : attempt_(std::move(attempt)),
      rules_(rules),
      touches_all_(!won.is_list_known),
      is_settling_(touches_all_ || !won.unresolved.empty() ||
                   (rules.mark_settled && won.settled.empty())) {
  for (const model::PodRef& pod : won.unresolved) Touch(pod);
}

void Takeover::Begin(Turn& turn) {
  if (is_settling_) view_.Ask(turn);
  if (touches_all_) {
    for (const auto& [uid, pod] : turn.observed.pods()) TouchIfUnbound(pod);
  }
  Check(turn);
}

void Takeover::Answered(const model::TouchAnswered& answer, Turn& turn) {
  const auto touch = touches_.find(answer.pod);
  if (answer.attempt != attempt_ || touch == touches_.end()) return;
  if (!touch->second.Settles(answer, turn.now)) return;
  touches_.erase(touch);
  if (answer.outcome == WriteOutcome::kDone) Require(answer.resource_version, turn.now);
  Check(turn);
}

void Takeover::Answered(const model::RevisionAnswered& answer, Turn& turn) {
  view_.Answered(answer, turn);
  Check(turn);
}

void Takeover::PodChanged(const PodUid& pod, Turn& turn) {
  if (is_done_ || !touches_all_) return;
  // What appears later was not there when we took over.
  if (view_.IsNewerThanAsk(turn.observed) || !rules_.touch_late) return;
  if (const KnownPod* known = turn.observed.FindPod(pod)) TouchIfUnbound(*known);
  Check(turn);
}

void Takeover::PodIsGone(const PodUid& pod, Turn& turn) {
  if (touches_.erase(pod) != 0) Check(turn);
}

void Takeover::Tick(Turn& turn) {
  if (is_done_) return;
  for (auto& [uid, touch] : touches_) touch.Tick(turn);
  GiveUpStuck(turn.now);
  view_.Tick(turn);
  Check(turn);
}

std::optional<TimePoint> Takeover::NextWake(const Observed& observed) const {
  if (is_done_) return std::nullopt;
  auto wake = view_.NextWake(observed);
  for (const auto& [uid, touch] : touches_) wake = Earlier(wake, touch.next_wake());
  return wake;
}

std::string Takeover::WhyNot() const {
  const std::size_t pods = waiting_.size() + touches_.size();
  if (pods > 0) {
    return "the fence does not say what was being bound before, so " + std::to_string(pods) +
           (pods == 1 ? " pod" : " pods") + " must be touched before anything is decided";
  }
  if (view_.newest().empty()) {
    return "the API server has not said yet how new the view of pods has to be";
  }
  return "the view of pods has to come to version " + view_.newest().text() +
         " before anything is decided";
}

void Takeover::Touch(const model::PodRef& pod) {
  if (rules_.touch && met_.insert(pod.uid).second) waiting_.push_back(pod);
}

void Takeover::TouchIfUnbound(const KnownPod& pod) {
  const bool may_be_bound = !pod.is_bound && !pod.is_terminal;
  if (may_be_bound && rules_.touch_all && pod.scheduler.text() != kDefaultScheduler) {
    Touch(pod.ref);
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

void Takeover::GiveUpStuck(TimePoint now) {
  std::erase_if(touches_, [&](const auto& entry) {
    if (!entry.second.IsStuck(now)) return false;
    given_up_.push_back(entry.second.pod());
    return true;
  });
}

void Takeover::Check(Turn& turn) {
  SendTouches(turn);
  if (!touches_.empty()) return;
  is_done_ = is_done_ || view_.Holds(turn.observed) || !rules_.fresh;
}

}  // namespace gs::commit
