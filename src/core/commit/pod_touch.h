// PodTouch: touches one pod until it is certain how things stand: a Binding that was sent before
// can no longer succeed, or it has succeeded, or the pod is gone.
//
// There is no giving up here: while it is not certain, the pod stays on the list.
#pragma once

#include <optional>
#include <utility>

#include "base/ids.h"
#include "base/time.h"
#include "core/commit/turn.h"
#include "core/model/event.h"
#include "core/model/pod.h"

namespace gs::commit {

class PodTouch {
 public:
  PodTouch(model::PodRef pod, AttemptId attempt)
      : pod_(std::move(pod)), attempt_(std::move(attempt)) {}

  // Each time with a new message.
  void Send(Turn& turn);
  // True: it is certain now, and the answer says how. Otherwise it will be sent again.
  // Requires: the answer is for this pod and attempt.
  [[nodiscard]] bool Settles(const model::TouchAnswered& answer, TimePoint now);
  void Tick(Turn& turn);
  [[nodiscard]] std::optional<TimePoint> next_wake() const { return again_at_; }

  // It has been tried in vain for that long.
  [[nodiscard]] bool IsStuck(TimePoint now) const;

  [[nodiscard]] const model::PodRef& pod() const { return pod_; }

 private:
  model::PodRef pod_;  // constant after construction
  AttemptId attempt_;  // likewise
  int failures_ = 0;   // in a row
  std::optional<TimePoint> first_;
  std::optional<TimePoint> again_at_;
};

}  // namespace gs::commit
