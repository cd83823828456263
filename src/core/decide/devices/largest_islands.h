// The fewest islands that can hold an answer: those of the must-includes, then the largest.
#pragma once

#include <vector>

#include "core/decide/devices/problem.h"

namespace gs::devices {

// The candidates of those islands, island by island. Requires: there are enough candidates.
[[nodiscard]] std::vector<GpuSet> LargestIslands(const Problem& problem);

}  // namespace gs::devices
