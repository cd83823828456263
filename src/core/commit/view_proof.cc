#include "core/commit/view_proof.h"

#include <chrono>

#include "base/resource_version.h"

namespace gs::commit {
namespace {

// How long a view may take to come by itself before it is listed again.
constexpr Duration kPatience = std::chrono::seconds(2);
constexpr Duration kPatienceAgain = std::chrono::seconds(15);

}  // namespace

void ViewProof::Begin(Turn& turn) {
  if (first_.empty()) turn.commands.emplace_back(model::AskRevision{kind_});
  refresh_at_ = turn.now + kPatience;
}

void ViewProof::Answered(const model::RevisionAnswered& answer, Turn& turn) {
  if (answer.kind != kind_ || !first_.empty()) return;
  if (answer.resource_version.empty()) {
    ask_at_ = turn.now + BackoffAfter(++failures_);
  } else {
    Require(answer.resource_version);
  }
}

void ViewProof::Require(const ResourceVersion& version) {
  ask_at_.reset();
  if (first_.empty() || !IsAtLeast(version, first_)) first_ = version;
  if (newest_.empty() || !IsAtLeast(newest_, version)) newest_ = version;
}

void ViewProof::Tick(Turn& turn) {
  if (Holds(turn.observed)) return;
  if (ask_at_ && *ask_at_ <= turn.now) {
    ask_at_.reset();
    turn.commands.emplace_back(model::AskRevision{kind_});
  }
  // To begin a list again that is not read to its end yet would only take longer.
  if (turn.observed.ReachedOf(kind_).empty()) refresh_at_ = turn.now + kPatience;
  if (refresh_at_ && *refresh_at_ <= turn.now) {
    refresh_at_ = turn.now + kPatienceAgain;
    turn.commands.emplace_back(model::RefreshView{kind_});
  }
}

bool ViewProof::HasBegun(const Observed& observed) const {
  return IsAtLeast(observed.ReachedOf(kind_), first_);
}

bool ViewProof::Holds(const Observed& observed) const {
  return IsAtLeast(observed.ReachedOf(kind_), newest_);
}

std::optional<TimePoint> ViewProof::NextWake(const Observed& observed) const {
  return Holds(observed) ? std::nullopt : Earlier(ask_at_, refresh_at_);
}

}  // namespace gs::commit
