// Flight: one pod's commit, from its plan to the certainty that it is bound or never will be.
//
//   queued ─► listing ─► locking ─► binding ─► over          bound: the answer says so
//                 │          │          └────► touching ─► over
//                 └──────────┴─► over                        not bound: nothing was sent that binds
//
// A pod without GPUs has nothing that two could be given, so it is neither listed nor locked.
//
// Giving up is safe until the Binding is sent: no GPU goes to a pod without it, and what was locked
// is released by the rule for Leases, also a lock that arrives late. Once the Binding is sent, only
// an answer that says what became of it, a touch, or a fact that cannot change back ends the
// flight.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/commit/plan.h"
#include "core/commit/pod_touch.h"
#include "core/commit/report.h"
#include "core/commit/rules.h"
#include "core/commit/turn.h"
#include "core/model/event.h"

namespace gs::commit {

class Flight {
 public:
  Flight(Plan plan, const Rules& rules);

  // Whether the pod has to be on the list before anything is written for it.
  [[nodiscard]] bool needs_listing() const { return plan_.has_gpus() && rules_.listed; }

  // It is on the list from this revision on.
  void AwaitListing(std::uint64_t revision);
  void Listed(std::uint64_t revision, Turn& turn);
  // Without a list. Requires: !needs_listing().
  void Launch(Turn& turn);

  // Answers to this attempt; others mean nothing.
  void Answered(const model::LeaseAnswered& answer, Turn& turn);
  void Answered(const model::BindAnswered& answer, Turn& turn);
  void Answered(const model::TouchAnswered& answer, Turn& turn);

  // The view has changed.
  void LeaseChanged(const LeaseName& name, Turn& turn);
  void PodChanged(const Observed& observed);
  void PodIsGone();

  void Tick(Turn& turn);
  [[nodiscard]] std::optional<TimePoint> NextWake() const;

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] Step step() const { return step_; }
  [[nodiscard]] bool is_over() const { return step_ == Step::kOver; }
  // Requires: is_over().
  [[nodiscard]] Finished finished() const;
  // Whether a write of this flight to that lock may be under way.
  [[nodiscard]] bool IsWriting(const LeaseName& lock) const;

 private:
  enum class LockState : std::uint8_t {
    kSent,    // no answer yet
    kAgain,   // it may be there or not: the same create is sent again
    kInView,  // it may be ours or not: the view has to show it
    kHeld,
  };
  struct Lock {
    model::GpuLease lease;
    LockState state = LockState::kSent;
    int failures = 0;
    TimePoint wake;  // with kAgain: when to send it; with kInView: when to give up
  };

  void SendLock(Lock& lock, Turn& turn);
  void LockIsUnknown(Lock& lock, Turn& turn);
  void LockExists(Lock& lock, Turn& turn);
  void LockIsHeld(Lock& lock, Turn& turn);
  void TickLock(Lock& lock, Turn& turn);
  [[nodiscard]] bool IsOurs(const model::GpuLease& lease) const;
  void SendBinding(Turn& turn);
  void Resolve(Turn& turn);
  void EndBound();
  void EndNotBound(model::WriteOutcome outcome, std::string reason);
  [[nodiscard]] Lock* FindLock(const LeaseName& name);

  Plan plan_;    // constant after construction
  Rules rules_;  // likewise
  Step step_ = Step::kQueued;
  std::uint64_t revision_ = 0;
  TimePoint give_up_locking_;
  std::vector<Lock> locks_;
  std::optional<PodTouch> touch_;
  std::optional<NotBound> not_bound_;
};

}  // namespace gs::commit
