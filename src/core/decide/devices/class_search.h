// Search over counts per wiring class, for more candidates than fit a mask.
#pragma once

#include <optional>

#include "core/decide/devices/class_partition.h"
#include "core/decide/devices/problem.h"

namespace gs::devices {

// The best allowed set; its set is empty if no set is allowed. Nothing if the budget did not
// suffice: then nothing is known. Exact otherwise.
[[nodiscard]] std::optional<Found> SearchClasses(const Problem& problem, Budget budget);

}  // namespace gs::devices
