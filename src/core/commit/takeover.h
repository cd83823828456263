// Takeover: what a new leader awaits before it decides anything. What its predecessors listed is
// resumed as flights and awaited by nobody; here is the rest.
//
//   1. The view of pods has come to every version that the fence names: then it shows whatever was
//      bound and taken off the list before (FRESH). Where the fence names none for us, because it
//      was made anew or knows our release not yet, the API server is asked. The version of
//      the newest pod that is bound then is written into the fence before anything is decided, so
//      that others come to it too (SETTLED); not the version that was asked for, to which a view
//      of pods may not come by itself.
//   2. Where the fence was made anew, its lists are lost. Every unbound pod that some scheduler
//   like
//      this one may be binding is touched (TOUCHALL), also those that a view which is not new
//      enough still brings (TOUCHLATE); then the mark is taken off the fence. A crash in between is
//      no harm: whoever takes over while the mark stands does the same.
//
// A pod that refuses to be touched is given up after a while: its GPUs are not known, and a tenant
// must not be able to stop everybody. By then no request of an earlier leader can be on its way in
// the API server any more.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

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
  Takeover(const model::LeadershipWon& won, AttemptId attempt, const Rules& rules);

  void Begin(Turn& turn);
  void Answered(const model::TouchAnswered& answer, Turn& turn);
  void Answered(const model::RevisionAnswered& answer, Turn& turn);
  // The view has changed: a pod in it, or how far it reaches.
  void PodChanged(const PodUid& pod, Turn& turn);
  void PodIsGone(const PodUid& pod, Turn& turn);
  void ViewChanged(Turn& turn) { Check(turn); }
  void Tick(Turn& turn);
  // The view must have come to this version too.
  void Require(const ResourceVersion& version, TimePoint now) { view_.Require(version, now); }

  [[nodiscard]] std::optional<TimePoint> NextWake(const Observed& observed) const;
  // All that had to be touched is, and the view is new.
  [[nodiscard]] bool is_done() const { return is_done_; }
  // Whether the fence has to say so before anything is decided.
  [[nodiscard]] bool is_settling() const { return is_settling_; }
  // For people, while it is not done.
  [[nodiscard]] std::string WhyNot() const;
  // Pods that were given up since the last call.
  [[nodiscard]] std::vector<model::PodRef> TakeGivenUp() { return std::exchange(given_up_, {}); }

 private:
  void Touch(const model::PodRef& pod);
  void SendTouches(Turn& turn);
  void TouchIfUnbound(const KnownPod& pod);
  void GiveUpStuck(TimePoint now);
  void Check(Turn& turn);

  const AttemptId attempt_;
  const Rules rules_;
  const bool touches_all_;
  const bool is_settling_;

  std::deque<model::PodRef> waiting_;   // to be touched
  std::map<PodUid, PodTouch> touches_;  // under way
  std::set<PodUid> met_;                // waiting, under way or settled
  std::vector<model::PodRef> given_up_;
  ViewProof view_;
  bool is_done_ = false;
};

}  // namespace gs::commit
