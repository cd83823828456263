#include "core/admit/admit.h"

#include <algorithm>

#include "core/admit/refusals.h"

namespace gs::admit {
namespace {

void AppendEnvironments(const std::string& field, const std::vector<Container>& containers,
                        GpuKind kind, Handover handover, Patch& patch) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (!containers[i].is_new) continue;
    AppendChanges(field + "/" + std::to_string(i), containers[i].env,
                  EnvironmentFor(containers[i], kind, handover), patch);
  }
}

bool Tolerates(const model::Toleration& toleration, const std::string& taint) {
  const bool is_named = toleration.key.empty() || toleration.key == taint;
  const bool is_effective =
      !toleration.effect || *toleration.effect == model::TaintEffect::kNoSchedule;
  return is_named && is_effective && toleration.op == model::TolerationOperator::kExists;
}

// As Kubernetes itself does for extended resources where it is told to.
void AppendToleration(const Review& review, const std::string& taint, Patch& patch) {
  const auto& present = review.tolerations;
  const bool is_there = std::any_of(present.begin(), present.end(),
                                    [&](const auto& has) { return Tolerates(has, taint); });
  if (is_there) return;
  const model::Toleration added{.key = taint,
                                .value = "",
                                .op = model::TolerationOperator::kExists,
                                .effect = model::TaintEffect::kNoSchedule};
  if (review.has_tolerations) {
    patch.push_back({PatchVerb::kAdd, "/spec/tolerations/-", added});
  } else {
    patch.push_back({PatchVerb::kAdd, "/spec/tolerations", std::vector{added}});
  }
}

}  // namespace

Verdict Admit(const Review& review, const Policy& policy) {
  if (review.action == Action::kOther || review.scheduler != policy.scheduler) return Patch{};
  if (auto refusal = RefusalOf(review, policy.handover)) return Refused{*std::move(refusal)};
  const GpuKind kind = GpuKindOf(review);
  Patch patch;
  if (review.action == Action::kAddEphemeralContainers) {
    AppendEnvironments("/spec/ephemeralContainers", review.ephemeral_containers, kind,
                       policy.handover, patch);
    return patch;
  }
  AppendEnvironments("/spec/initContainers", review.init_containers, kind, policy.handover, patch);
  AppendEnvironments("/spec/containers", review.containers, kind, policy.handover, patch);
  if (kind != GpuKind::kNone && !policy.taint.empty()) {
    AppendToleration(review, policy.taint, patch);
  }
  return patch;
}

}  // namespace gs::admit
