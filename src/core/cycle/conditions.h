// Conditions: when to say on a pod that it waits. It is said when the leading cause changes, and
// otherwise at most every few minutes, because every write wakes everybody who watches pods.
#pragma once

#include <map>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/command.h"
#include "core/model/pod.h"
#include "core/model/reason.h"

namespace gs::cycle {

class Conditions {
 public:
  explicit Conditions(Duration interval = std::chrono::minutes(5)) : interval_(interval) {}

  // Whether anything is to be said of a pod that waits for such a reason; to find the words may
  // take long.
  [[nodiscard]] bool IsDue(const PodUid& pod, model::ReasonToken token, TimePoint now) const;
  // What to write now that the pod was found to wait for this reason; often nothing.
  [[nodiscard]] std::vector<model::Command> Say(const model::Pod& pod, const model::Reason& reason,
                                                TimePoint now);
  void Forget(const PodUid& pod) { said_.erase(pod); }

 private:
  struct Said {
    model::Reason reason;
    TimePoint at;
    TimePoint since;  // when the condition became false; another reason does not change that
  };

  const Duration interval_;
  std::map<PodUid, Said> said_;
};

}  // namespace gs::cycle
