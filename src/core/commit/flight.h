// Flight: one pod's commit, from its plan to the certainty that it is bound or never will be.
//
//   queued ─► listing ─► binding ─► over                    bound: the answer says so
//                 │          └────► touching ─► over
//                 └─► over                                  not bound: nothing was sent that binds
//
// A pod without GPUs has nothing that two could be given, so it is not listed; one that asks for
// parts of GPUs is, since the device plugin takes them from any GPU of the node. What a predecessor
// has listed is resumed in the step touching.
//
// Giving up is safe until the Binding is sent. From then on only an answer that says what became of
// it, a touch, or a fact that cannot change back ends the flight.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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
  [[nodiscard]] bool needs_listing() const { return plan_.takes_gpus() && rules_.listed; }
  // Nothing that binds the pod has been sent.
  [[nodiscard]] bool is_unsent() const { return step_ == Step::kQueued || step_ == Step::kListing; }

  // It is on the list from this revision on.
  void AwaitListing(std::uint64_t revision);
  void Listed(const model::InFlightListed& listed, Turn& turn);
  // Without a list. Requires: !needs_listing().
  void Launch(Turn& turn) { SendBinding(turn); }
  // A predecessor may have sent the Binding.
  void Resume(Turn& turn) { Resolve(turn); }

  // Answers to this attempt; others mean nothing.
  void Answered(const model::BindAnswered& answer, Turn& turn);
  void Answered(const model::TouchAnswered& answer, Turn& turn);

  // The view has changed.
  void PodChanged(const Observed& observed);
  void PodIsGone();
  // Somebody has what it was planned with. Requires: is_unsent().
  void GiveUp(std::string reason);

  void Tick(Turn& turn);
  [[nodiscard]] std::optional<TimePoint> NextWake() const;
  // Once, when its touch has been in vain for long.
  [[nodiscard]] bool TakeStuck(TimePoint now);

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] Step step() const { return step_; }
  [[nodiscard]] bool is_over() const { return step_ == Step::kOver; }
  // Over, and bound as planned.
  [[nodiscard]] bool has_succeeded() const { return is_over() && !not_bound_; }
  // Requires: is_over().
  [[nodiscard]] Finished finished() const;
  // Where the touch found it bound; empty: it was not the touch that did.
  [[nodiscard]] const ResourceVersion& bound_at() const { return bound_at_; }

 private:
  void SendBinding(Turn& turn);
  void Resolve(Turn& turn);
  void EndBound();
  void EndNotBound(model::WriteOutcome outcome, std::string reason);

  Plan plan_;    // constant after construction
  Rules rules_;  // likewise
  Step step_ = Step::kQueued;
  std::uint64_t revision_ = 0;
  std::optional<PodTouch> touch_;
  bool is_stuck_told_ = false;
  std::optional<NotBound> not_bound_;
  ResourceVersion bound_at_;
};

}  // namespace gs::commit
