#include "core/commit/pod_touch.h"

namespace gs::commit {

using model::WriteOutcome;

void PodTouch::Send(Turn& turn) {
  again_at_.reset();
  turn.commands.emplace_back(model::TouchPod{pod_, attempt_, turn.messages.Next()});
}

bool PodTouch::Settles(const model::TouchAnswered& answer, TimePoint now) {
  if (answer.outcome == WriteOutcome::kDone || answer.outcome == WriteOutcome::kNotFound) {
    again_at_.reset();
    return true;
  }
  again_at_ = now + BackoffAfter(++failures_);
  return false;
}

void PodTouch::Tick(Turn& turn) {
  if (again_at_ && *again_at_ <= turn.now) Send(turn);
}

}  // namespace gs::commit
