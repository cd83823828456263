#include "core/cycle/releases.h"

#include <algorithm>
#include <variant>

#include "core/commit/turn.h"

namespace gs::cycle {

void Releases::Apply(const model::Event& event, TimePoint now) {
  if (period_ == Duration(0)) return;
  if (std::holds_alternative<model::LeadershipWon>(event)) {
    required_ = asked_ + 1;
    next_at_ = now;
  } else if (const auto* checked = std::get_if<model::ReleasesChecked>(&event)) {
    if (checked->number == asked_) Take(*checked, now);
  }
}

void Releases::Take(const model::ReleasesChecked& checked, TimePoint now) {
  if (!checked.is_known) {
    trouble_ = checked.why_not;
    next_at_ = now + std::min(commit::BackoffAfter(++failures_), period_);
    return;
  }
  trouble_.clear();
  failures_ = 0;
  known_ = checked.number;
  refusal_ = checked.why_not;
  // A look from before the takeover may be answered after it.
  next_at_ = known_ < required_ ? now : now + period_;
}

std::optional<model::CheckReleases> Releases::Tick(TimePoint now) {
  const bool is_first = asked_ == 0 && period_ > Duration(0);
  if (!is_first && (!next_at_ || now < *next_at_)) return std::nullopt;
  next_at_.reset();  // until the answer is there
  return model::CheckReleases{++asked_};
}

std::string Releases::why_not() const {
  if (period_ == Duration(0)) return {};
  if (known_ >= required_) return refusal_;
  std::string text = "other releases in the cluster are not known yet";
  if (!trouble_.empty()) text += ": " + trouble_;
  return text;
}

}  // namespace gs::cycle
