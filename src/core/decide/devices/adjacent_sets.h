// The sets with the fewest runs of ids, then the smallest span, when so many GPUs must come from
// each of some pools.
#pragma once

#include <cstdint>
#include <vector>

#include "core/decide/devices/class_partition.h"
#include "core/decide/devices/topology.h"

namespace gs::devices {

// So many GPUs out of these; pools do not overlap.
struct Pool {
  GpuSet gpus;
  std::size_t count = 0;
};

// All sets that reach the best adjacency, lowest ids first, at most `limit` of them. By dynamic
// programming over the ids from the highest down; spends budget for its table and returns nothing
// if that is too large.
[[nodiscard]] std::vector<GpuSet> MostAdjacentSets(const Topology& topology,
                                                   const std::vector<Pool>& pools,
                                                   std::size_t limit, Budget& budget);

}  // namespace gs::devices
