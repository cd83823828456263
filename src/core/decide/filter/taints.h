// Whom a node keeps away: taints that a pod does not tolerate. A cordoned node counts as tainted,
// as in Kubernetes.
#pragma once

#include <optional>

#include "core/model/node.h"
#include "core/model/placement_rules.h"
#include "core/model/reason.h"

namespace gs::filter {

[[nodiscard]] bool IsTolerated(const model::PlacementRules& rules, const model::Taint& taint);

// The first taint that keeps the pod away; null: none does. Being cordoned is not looked at.
[[nodiscard]] const model::Taint* FindUntolerated(const model::PlacementRules& rules,
                                                  const model::Node& node);

[[nodiscard]] std::optional<model::Reason> RefusedByTaint(const model::PlacementRules& rules,
                                                          const model::Node& node);

}  // namespace gs::filter
