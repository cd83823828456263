// Why there is no set. Split from the search because a refusal is computed rarely and read by
// people.
#pragma once

#include <optional>

#include "core/decide/devices/choice.h"
#include "core/decide/devices/problem.h"
#include "core/decide/devices/topology.h"

namespace gs::devices {

// What can be refused by counting, before any search.
[[nodiscard]] std::optional<Miss> RefuseEarly(const Topology& topology,
                                              const Availability& availability,
                                              const Request& request, GpuSet candidates);

// Enough GPUs are there, but mode Required allows no set of them: says what is nearest.
[[nodiscard]] Miss ExplainRequired(const Problem& problem, const Availability& availability,
                                   const Request& request);

}  // namespace gs::devices
