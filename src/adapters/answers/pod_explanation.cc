#include "adapters/answers/pod_explanation.h"

namespace gs::answers {

std::optional<PodExplanation> ExplainPod(const cycle::Cycle& cycle, const Namespace& ns,
                                         const PodName& name) {
  // The same name may have been used before.
  const cache::PodRecord* found = nullptr;
  for (const auto& [uid, record] : cycle.cache().pods()) {
    const bool is_meant = record.pod.ref.ns == ns && record.pod.ref.name == name &&
                          record.pod.scheduler == cycle.scheduler() && !record.pod.is_terminal();
    if (is_meant) found = &record;
  }
  if (found == nullptr) return std::nullopt;
  PodExplanation explained{.pod = explain::ReportPod(*found, cycle.cache(), cycle.pending()),
                           .explanation = std::nullopt,
                           .reservation = cycle.keep().reservation()};
  if (explained.pod.state == explain::PodState::kWaiting) {
    explained.explanation = cycle.Look(
        [found](const explain::Scene& scene) { return explain::Explain(found->pod, scene); });
    for (const auto& [uid, stay] : cycle.stays().all()) explained.staying.push_back(stay);
  }
  return explained;
}

}  // namespace gs::answers
