#include "core/commit/flight.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.h"

namespace gs::commit {
namespace {

using model::GpuLease;
using model::WriteOutcome;

// How long the view may take to show a lock that somebody has.
constexpr Duration kViewPatience = std::chrono::seconds(5);
// Longer than that is no use: by then another choice may be the better one.
constexpr Duration kLockPatience = std::chrono::seconds(30);

std::string NameFor(const GpuLease& lease) { return "the lock " + lease.name.text(); }

}  // namespace

Flight::Flight(Plan plan, const Rules& rules) : plan_(std::move(plan)), rules_(rules) {
  for (const GpuLease& lease : plan_.locks) {
    locks_.push_back({.lease = lease, .state = LockState::kSent, .failures = 0, .wake = {}});
  }
}

void Flight::AwaitListing(std::uint64_t revision) {
  step_ = Step::kListing;
  revision_ = revision;
}

void Flight::Listed(std::uint64_t revision, Turn& turn) {
  if (step_ == Step::kListing && revision >= revision_) Launch(turn);
}

void Flight::Launch(Turn& turn) {
  if (locks_.empty()) return SendBinding(turn);
  step_ = Step::kLocking;
  give_up_locking_ = turn.now + kLockPatience;
  for (Lock& lock : locks_) SendLock(lock, turn);
}

void Flight::SendLock(Lock& lock, Turn& turn) {
  lock.state = LockState::kSent;
  if (lock.lease.uid.empty()) {
    turn.commands.emplace_back(model::CreateLease{lock.lease, plan_.attempt});
  } else {
    turn.commands.emplace_back(model::UpdateLease{lock.lease, plan_.attempt});
  }
}

void Flight::Answered(const model::LeaseAnswered& answer, Turn& turn) {
  if (step_ != Step::kLocking || answer.attempt != plan_.attempt) return;
  Lock* lock = FindLock(answer.lease);
  if (lock == nullptr || lock->state == LockState::kHeld) return;
  switch (answer.outcome) {
    case WriteOutcome::kDone: return LockIsHeld(*lock, turn);
    case WriteOutcome::kAlreadyExists: return LockExists(*lock, turn);
    case WriteOutcome::kUnknown: return LockIsUnknown(*lock, turn);
    default: return EndNotBound(answer.outcome, NameFor(lock->lease) + " could not be taken");
  }
}

// The same create may be sent any number of times: it says whose it is.
void Flight::LockIsUnknown(Lock& lock, Turn& turn) {
  const bool is_create = lock.lease.uid.empty();
  ++lock.failures;
  lock.state = is_create ? LockState::kAgain : LockState::kInView;
  lock.wake = turn.now + (is_create ? BackoffAfter(lock.failures) : kViewPatience);
}

void Flight::LockExists(Lock& lock, Turn& turn) {
  const GpuLease* seen = turn.observed.FindLease(lock.lease.name);
  if (seen != nullptr && IsOurs(*seen)) return LockIsHeld(lock, turn);
  if (lock.failures == 0) {
    return EndNotBound(WriteOutcome::kAlreadyExists, NameFor(lock.lease) + " is somebody else's");
  }
  lock.state = LockState::kInView;
  lock.wake = turn.now + kViewPatience;
}

void Flight::LockIsHeld(Lock& lock, Turn& turn) {
  lock.state = LockState::kHeld;
  const bool all = std::all_of(locks_.begin(), locks_.end(),
                               [](const Lock& each) { return each.state == LockState::kHeld; });
  if (all) SendBinding(turn);
}

void Flight::LeaseChanged(const LeaseName& name, Turn& turn) {
  if (step_ != Step::kLocking) return;
  Lock* lock = FindLock(name);
  if (lock == nullptr || lock->state == LockState::kHeld) return;
  const GpuLease* seen = turn.observed.FindLease(name);
  if (seen == nullptr) return;
  if (IsOurs(*seen)) return LockIsHeld(*lock, turn);
  const bool has_moved = seen->resource_version != lock->lease.resource_version;
  if (lock->state == LockState::kInView && has_moved) {
    EndNotBound(WriteOutcome::kConflict, NameFor(lock->lease) + " is somebody else's");
  }
}

void Flight::TickLock(Lock& lock, Turn& turn) {
  const bool is_due = lock.wake <= turn.now;
  if (lock.state == LockState::kAgain && is_due) return SendLock(lock, turn);
  if (lock.state == LockState::kInView && is_due) {
    EndNotBound(WriteOutcome::kUnknown, NameFor(lock.lease) + " was not seen to be ours");
  }
}

bool Flight::IsOurs(const GpuLease& lease) const {
  const model::LeaseHolder* holder = FindHolder(lease, plan_.pod.uid);
  return holder != nullptr && holder->attempt == plan_.attempt;
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
  if (!rules_.touch) return EndNotBound(WriteOutcome::kUnknown, "looked unbound");
  step_ = Step::kTouching;
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
  if (answer.node == plan_.allocation.gpus.node) return EndBound();
  EndNotBound(WriteOutcome::kConflict, "somebody has bound the pod to " + answer.node.text());
}

void Flight::PodChanged(const Observed& observed) {
  const KnownPod* pod = observed.FindPod(plan_.pod.uid);
  if (is_over() || pod == nullptr) return;
  const bool is_sent = step_ == Step::kBinding || step_ == Step::kTouching;
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

void Flight::Tick(Turn& turn) {
  if (step_ == Step::kTouching) return touch_->Tick(turn);
  if (step_ != Step::kLocking) return;
  if (give_up_locking_ <= turn.now) {
    return EndNotBound(WriteOutcome::kUnknown, "the locks took too long");
  }
  for (Lock& lock : locks_) {
    TickLock(lock, turn);
    if (is_over()) return;
  }
}

std::optional<TimePoint> Flight::NextWake() const {
  if (step_ == Step::kTouching) return touch_->next_wake();
  if (step_ != Step::kLocking) return std::nullopt;
  TimePoint wake = give_up_locking_;
  for (const Lock& lock : locks_) {
    const bool is_waiting = lock.state == LockState::kAgain || lock.state == LockState::kInView;
    if (is_waiting) wake = std::min(wake, lock.wake);
  }
  return wake;
}

Finished Flight::finished() const {
  GS_CHECK(is_over());
  return {.pod = plan_.pod, .attempt = plan_.attempt, .not_bound = not_bound_};
}

bool Flight::IsWriting(const LeaseName& name) const {
  if (step_ != Step::kLocking) return false;
  return std::any_of(locks_.begin(), locks_.end(), [&](const Lock& lock) {
    return lock.lease.name == name && lock.state != LockState::kHeld;
  });
}

void Flight::EndBound() { step_ = Step::kOver; }

void Flight::EndNotBound(WriteOutcome outcome, std::string reason) {
  not_bound_ = NotBound{.step = step_, .outcome = outcome, .reason = std::move(reason)};
  step_ = Step::kOver;
}

Flight::Lock* Flight::FindLock(const LeaseName& name) {
  const auto lock = std::find_if(locks_.begin(), locks_.end(),
                                 [&](const Lock& each) { return each.lease.name == name; });
  return lock == locks_.end() ? nullptr : &*lock;
}

}  // namespace gs::commit
