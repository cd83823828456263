// Why one pod is not where it wants to be, as values, from what a cycle knows.
#pragma once

#include <optional>
#include <vector>

#include "base/ids.h"
#include "core/cycle/cycle.h"
#include "core/cycle/stays.h"
#include "core/decide/keep.h"
#include "core/explain/explanation.h"
#include "core/explain/pod_report.h"

namespace gs::answers {

// One pod, and why it is not where it wants to be.
struct PodExplanation {
  explain::PodReport pod;
  std::optional<explain::Explanation> explanation;  // of a pod that waits
  std::optional<decide::Reservation> reservation;   // whoever it is for
  // Who held GPUs on a node that was kept for somebody and did not end; of a pod that waits.
  std::vector<cycle::Stays::Stay> staying = {};
};

// Nothing: no pod of this scheduler and name is known that has not ended. Linear in all pods.
[[nodiscard]] std::optional<PodExplanation> ExplainPod(const cycle::Cycle& cycle,
                                                       const Namespace& ns, const PodName& name);

}  // namespace gs::answers
