#include "core/commit/pod_touch.h"

#include <algorithm>
#include <chrono>

namespace gs::commit {

using model::WriteOutcome;

namespace {

// Its GPUs are taken meanwhile, so the API server is not obeyed for ever.
constexpr Duration kLongestWait = std::chrono::seconds(30);
// Longer than the API server works on any request.
constexpr Duration kStuckAfter = std::chrono::seconds(60);

}  // namespace

void PodTouch::Send(Turn& turn) {
  if (!first_) first_ = turn.now;
  again_at_.reset();
  turn.commands.emplace_back(model::TouchPod{pod_, attempt_, turn.messages.Next()});
}

bool PodTouch::Settles(const model::TouchAnswered& answer, TimePoint now) {
  if (answer.outcome == WriteOutcome::kDone || answer.outcome == WriteOutcome::kNotFound) {
    again_at_.reset();
    return true;
  }
  const Duration asked = std::min(answer.retry_after.value_or(Duration(0)), kLongestWait);
  again_at_ = now + std::max(BackoffAfter(++failures_), asked);
  return false;
}

bool PodTouch::IsStuck(TimePoint now) const {
  return first_ && failures_ > 0 && now >= *first_ + kStuckAfter;
}

void PodTouch::Tick(Turn& turn) {
  if (again_at_ && *again_at_ <= turn.now) Send(turn);
}

}  // namespace gs::commit
