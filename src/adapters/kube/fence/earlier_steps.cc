#include "adapters/kube/fence/earlier_steps.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.h"

namespace gs::kube {

using model::WriteOutcome;

EarlierRequest EarlierSteps::Next(TimePoint wall) {
  GS_CHECK(!is_done_);
  const Step step = std::exchange(step_, Step::kRead);
  is_create_ = step == Step::kCreate;
  if (step == Step::kCreate) return CreateEarlier{TombstoneOf({.metadata = fresh_}, wall)};
  if (step == Step::kTake) return PutEarlier{TombstoneOf(*seen_, wall)};
  return ReadEarlier{};
}

bool EarlierSteps::Answer(Duration now, WriteOutcome outcome,
                          const std::optional<EarlierElection>& lease) {
  not_before_ = now;
  if (outcome == WriteOutcome::kDone && lease) {
    Observe(now, *lease);
    return true;
  }
  const bool is_absent = outcome == WriteOutcome::kNotFound && !is_create_;
  if (is_absent) step_ = Step::kCreate;
  return is_absent || outcome == WriteOutcome::kConflict || outcome == WriteOutcome::kAlreadyExists;
}

void EarlierSteps::Observe(Duration now, const EarlierElection& lease) {
  if (IsTombstone(lease)) {
    is_done_ = true;
    list_ = ListOf(lease);
    return;
  }
  if (!seen_ || !IsSameTerm(*seen_, lease)) since_ = now;
  seen_ = lease;
  // The holder may have been started with a longer one than ours.
  const Duration free_at =
      lease.holder.empty() ? now : since_ + std::max<Duration>(lease_, lease.duration);
  const bool is_free = now >= free_at;
  step_ = is_free ? Step::kTake : Step::kRead;
  not_before_ = is_free ? now : std::min(now + retry_, free_at);
}

}  // namespace gs::kube
