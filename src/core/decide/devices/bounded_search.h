// Greedy growth and swaps, for large machines without structure, where an exact search would take
// too long.
#pragma once

#include "core/decide/devices/problem.h"

namespace gs::devices {

// A good allowed set; empty only if none exists. It touches as few islands as any set does when
// nothing restricts or shares; its partition score is that of a greedy partition. Bounded by some
// millions of steps at 64 GPUs.
[[nodiscard]] Found SearchBounded(const Problem& problem);

}  // namespace gs::devices
