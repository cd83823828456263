// The node that a pod insists on: its node selector and the required part of its node affinity, as
// kube-scheduler reads them.
#pragma once

#include <optional>

#include "core/model/node.h"
#include "core/model/placement_rules.h"
#include "core/model/reason.h"

namespace gs::filter {

// Both of it hold.
[[nodiscard]] bool IsWanted(const model::PlacementRules& rules, const model::Node& node);

[[nodiscard]] std::optional<model::Reason> RefusedByAffinity(const model::PlacementRules& rules,
                                                             const model::Node& node);

}  // namespace gs::filter
