// Direct search over every set of up to 16 candidates.
#pragma once

#include <optional>

#include "core/decide/devices/mask_partition.h"
#include "core/decide/devices/problem.h"

namespace gs::devices {

// The best allowed set, or nothing if no set is allowed. Requires: at most 16 candidates;
// `partition` was made for a superset of them and for the same count.
[[nodiscard]] std::optional<Found> SearchMasks(const Problem& problem,
                                               const MaskPartition& partition);

}  // namespace gs::devices
