#include "core/commit/view_proof.h"

#include <chrono>

#include "base/resource_version.h"

namespace gs::commit {
namespace {

// How long a view may take to come by itself before it is listed again: where a version was asked
// for, nothing may ever come; else a change is on its way.
constexpr Duration kPatienceAfterAsking = std::chrono::milliseconds(250);
constexpr Duration kPatience = std::chrono::seconds(5);
constexpr Duration kPatienceAgain = std::chrono::seconds(15);

}  // namespace

void ViewProof::Ask(Turn& turn) {
  is_asking_ = true;
  turn.commands.emplace_back(model::AskRevision{model::Kind::kPod});
}

void ViewProof::Answered(const model::RevisionAnswered& answer, Turn& turn) {
  if (!is_asking_ || answer.kind != model::Kind::kPod) return;
  if (answer.resource_version.empty()) {
    ask_at_ = turn.now + BackoffAfter(++failures_);
    return;
  }
  is_asking_ = false;
  asked_ = answer.resource_version;
  Require(asked_, turn.now);
  refresh_at_ = turn.now + kPatienceAfterAsking;
}

void ViewProof::Require(const ResourceVersion& version, TimePoint now) {
  if (version.empty() || IsAtLeast(newest_, version)) return;
  newest_ = version;
  if (!refresh_at_) refresh_at_ = now + kPatience;
}

void ViewProof::Tick(Turn& turn) {
  if (ask_at_ && *ask_at_ <= turn.now) {
    ask_at_.reset();
    Ask(turn);
  }
  if (Holds(turn.observed)) {
    refresh_at_.reset();
    return;
  }
  // To begin a list again that is not read to its end yet would only take longer.
  if (refresh_at_ && turn.observed.ReachedOf(model::Kind::kPod).empty()) {
    refresh_at_ = turn.now + kPatienceAfterAsking;
  }
  if (refresh_at_ && *refresh_at_ <= turn.now) {
    refresh_at_ = turn.now + kPatienceAgain;
    turn.commands.emplace_back(model::RefreshView{model::Kind::kPod});
  }
}

bool ViewProof::IsNewerThanAsk(const Observed& observed) const {
  return IsAtLeast(observed.ReachedOf(model::Kind::kPod), asked_);
}

bool ViewProof::Holds(const Observed& observed) const {
  if (is_asking_ || ask_at_) return false;
  const ResourceVersion reached = observed.ReachedOf(model::Kind::kPod);
  return newest_.empty() ? !reached.empty() : IsAtLeast(reached, newest_);
}

std::optional<TimePoint> ViewProof::NextWake(const Observed& observed) const {
  return Holds(observed) ? std::nullopt : Earlier(ask_at_, refresh_at_);
}

}  // namespace gs::commit
