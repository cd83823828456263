#include "core/commit/flight.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace gs::commit {

using model::WriteOutcome;

Flight::Flight(Plan plan, const Rules& rules) : plan_(std::move(plan)), rules_(rules) {}

void Flight::AwaitListing(std::uint64_t revision) {
  step_ = Step::kListing;
  revision_ = revision;
}

void Flight::Listed(const model::InFlightListed& listed, Turn& turn) {
  if (step_ != Step::kListing || listed.revision < revision_) return;
  const auto& refused = listed.refused;
  if (std::find(refused.begin(), refused.end(), plan_.pod.uid) == refused.end()) {
    return SendBinding(turn);
  }
  EndNotBound(WriteOutcome::kConflict, "another release is committing a pod to " +
                                           ToString(plan_.allocation.gpus) + " or next to it");
}

void Flight::SendBinding(Turn& turn) {
  step_ = Step::kBinding;
  turn.commands.emplace_back(model::BindPod{
      plan_.pod, rules_.rvpre ? plan_.noted : ResourceVersion(), plan_.attempt, plan_.allocation});
}

void Flight::Answered(const model::BindAnswered& answer, Turn& turn) {
  if (step_ != Step::kBinding || answer.attempt != plan_.attempt) return;
  switch (answer.outcome) {
    case WriteOutcome::kDone: return EndBound();
    case WriteOutcome::kNotFound: return EndNotBound(answer.outcome, "the pod is gone");
    case WriteOutcome::kNotExecuted: return EndNotBound(answer.outcome, "the API server is busy");
    case WriteOutcome::kRefused: return EndNotBound(answer.outcome, "the Binding was refused");
    // Whoever repeats a request on its way makes a conflict of a success, so that is no answer
    // either.
    case WriteOutcome::kConflict:
    case WriteOutcome::kAlreadyExists:
    case WriteOutcome::kUnknown: return Resolve(turn);
  }
}

void Flight::Resolve(Turn& turn) {
  step_ = Step::kTouching;
  if (!rules_.touch) return EndNotBound(WriteOutcome::kUnknown, "looked unbound");
  touch_.emplace(plan_.pod, plan_.attempt);
  touch_->Send(turn);
}

void Flight::Answered(const model::TouchAnswered& answer, Turn& turn) {
  if (step_ != Step::kTouching || answer.attempt != plan_.attempt) return;
  if (!touch_->Settles(answer, turn.now)) return;
  if (answer.outcome == WriteOutcome::kNotFound) {
    return EndNotBound(answer.outcome, "the pod is gone");
  }
  if (answer.node.empty()) {
    return EndNotBound(WriteOutcome::kConflict, "the pod has changed since it was decided");
  }
  bound_at_ = answer.resource_version;
  if (answer.node == plan_.allocation.gpus.node) return EndBound();
  EndNotBound(WriteOutcome::kConflict, "somebody has bound the pod to " + answer.node.text());
}

void Flight::PodChanged(const Observed& observed) {
  const KnownPod* pod = observed.FindPod(plan_.pod.uid);
  if (is_over() || pod == nullptr) return;
  const bool is_sent = !is_unsent();
  if (pod->is_terminal) return EndNotBound(WriteOutcome::kConflict, "the pod has ended");
  if (pod->is_bound) {
    const bool is_as_planned =
        is_sent && pod->node == plan_.allocation.gpus.node &&
        (!plan_.has_gpus() || (pod->allocation && pod->allocation->gpus == plan_.allocation.gpus));
    if (is_as_planned) return EndBound();
    return EndNotBound(WriteOutcome::kConflict,
                       "somebody has bound the pod to " + pod->node.text());
  }
  if (pod->is_terminating && !is_sent) {
    EndNotBound(WriteOutcome::kConflict, "the pod is being deleted");
  }
}

void Flight::PodIsGone() {
  if (!is_over()) EndNotBound(WriteOutcome::kNotFound, "the pod is gone");
}

void Flight::GiveUp(std::string reason) {
  GS_CHECK(is_unsent());
  EndNotBound(WriteOutcome::kConflict, std::move(reason));
}

void Flight::Tick(Turn& turn) {
  if (step_ == Step::kTouching) touch_->Tick(turn);
}

std::optional<TimePoint> Flight::NextWake() const {
  return step_ == Step::kTouching ? touch_->next_wake() : std::nullopt;
}

bool Flight::TakeStuck(TimePoint now) {
  if (step_ != Step::kTouching || is_stuck_told_ || !touch_->IsStuck(now)) return false;
  return is_stuck_told_ = true;
}

Finished Flight::finished() const {
  GS_CHECK(is_over());
  return {.pod = plan_.pod, .attempt = plan_.attempt, .not_bound = not_bound_};
}

void Flight::EndBound() { step_ = Step::kOver; }

void Flight::EndNotBound(WriteOutcome outcome, std::string reason) {
  not_bound_ = NotBound{.step = step_, .outcome = outcome, .reason = std::move(reason)};
  step_ = Step::kOver;
}

}  // namespace gs::commit
