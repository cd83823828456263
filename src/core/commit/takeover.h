// Takeover: what a new leader does before it decides anything. Afterwards no write of a
// predecessor, however long it slept, can bind a pod, and the view shows whatever it has bound.
//
//   1. Touch every pod the predecessor may still be binding: those on its list; without a readable
//      list, every unbound pod of our scheduler that was there when we took over.
//   2. Prove that the view of pods is at least as new as the last of these touches, and as the
//      takeover: a pod may have been bound just before its touch. Likewise the view of Leases.
//      Where nothing has to be touched, one pod that waits is, if there is one: its new version is
//      soon in view, while a view in which nothing happens can only be listed again.
//
// A view proves its age only by ViewReached. That a touched pod is seen in its new version proves
// nothing about the others: a list that is being read again tells them in the order of their names.
//
// Nothing is written to the list meanwhile: the election Lease still names what the predecessor
// left, so a crash in between leaves it to whoever comes next.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/ids.h"
#include "base/time.h"
#include "core/commit/pod_touch.h"
#include "core/commit/rules.h"
#include "core/commit/turn.h"
#include "core/commit/view_proof.h"
#include "core/model/event.h"

namespace gs::commit {

class Takeover {
 public:
  Takeover(const model::LeadershipWon& won, SchedulerName scheduler, AttemptId attempt,
           const Rules& rules);

  void Begin(Turn& turn);
  void Answered(const model::TouchAnswered& answer, Turn& turn);
  void Answered(const model::RevisionAnswered& answer, Turn& turn);
  // The view has changed: a pod in it, or how far it reaches.
  void PodChanged(const PodUid& pod, Turn& turn);
  void PodIsGone(const PodUid& pod, Turn& turn);
  void ViewChanged(Turn& turn);
  void Tick(Turn& turn);

  [[nodiscard]] std::optional<TimePoint> NextWake(const Observed& observed) const;
  [[nodiscard]] bool is_done() const { return is_done_; }
  // Whether the election Lease names pods, or may, that need not be there any more once this is
  // done.
  [[nodiscard]] bool has_inherited() const { return has_inherited_; }

 private:
  void Touch(const model::PodRef& pod);
  void SendTouches(Turn& turn);
  void TouchIfUnbound(const KnownPod& pod);
  // Whether nothing has been touched whose new version would show how new the view is.
  [[nodiscard]] bool WantsAVersion(const Observed& observed) const;
  void TouchAnyThatWaits(const Observed& observed);
  void Check(Turn& turn);

  const SchedulerName scheduler_;
  const AttemptId attempt_;
  const Rules rules_;
  const bool touches_all_;
  const bool has_inherited_;

  std::deque<model::PodRef> waiting_;   // to be touched
  std::map<PodUid, PodTouch> touches_;  // under way
  std::set<PodUid> met_;                // waiting, under way or settled
  ViewProof pods_;
  ViewProof leases_;
  bool is_done_ = false;
};

}  // namespace gs::commit
