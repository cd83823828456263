// Admit: what becomes of a pod that somebody wants to make. It is refused with a sentence, or gets
// what makes the scheduler's choice reach its containers.
//
// A pod that was admitted once is not changed again, so the API server may ask as often as it
// likes. Pods of other schedulers and everything else pass untouched.
#pragma once

#include <string>
#include <variant>

#include "base/ids.h"
#include "core/admit/environment.h"
#include "core/admit/patch.h"
#include "core/admit/review.h"

namespace gs::admit {

struct Policy {
  SchedulerName scheduler;  // whose pods it is about
  Handover handover = Handover::kEnv;
  // The taint that keeps other pods off GPU nodes; GPU pods get a toleration for it. Empty: none.
  std::string taint;
};

struct Refused {
  std::string message;

  friend bool operator==(const Refused&, const Refused&) = default;
};

// An empty patch: fine as it is.
using Verdict = std::variant<Patch, Refused>;

[[nodiscard]] Verdict Admit(const Review& review, const Policy& policy);

}  // namespace gs::admit
