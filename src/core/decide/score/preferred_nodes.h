// Which nodes a pod would rather have, and which would rather not have it: preferred node affinity
// and taints of effect PreferNoSchedule. Neither keeps a pod off a node.
#pragma once

#include <cstdint>

#include "core/model/node.h"
#include "core/model/placement_rules.h"

namespace gs::score {

// The weights of its wishes that the node does not meet.
[[nodiscard]] std::int64_t UnmetWishes(const model::PlacementRules& rules, const model::Node& node);

// How many such taints of the node the pod does not tolerate.
[[nodiscard]] std::int64_t UnwelcomeTaints(const model::PlacementRules& rules,
                                           const model::Node& node);

}  // namespace gs::score
