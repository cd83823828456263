#include "core/decide/devices/largest_islands.h"

#include <algorithm>
#include <utility>

namespace gs::devices {

std::vector<GpuSet> LargestIslands(const Problem& problem) {
  const auto rank = [&](GpuSet island) {
    return std::pair(!(island & problem.must).empty(), island.size());
  };
  std::vector<GpuSet> islands;
  for (const GpuSet island : problem.topology.islands()) {
    islands.push_back(island & problem.candidates);
  }
  std::stable_sort(islands.begin(), islands.end(),
                   [&](GpuSet a, GpuSet b) { return rank(a) > rank(b); });
  std::size_t room = 0;
  const auto is_needless = [&](GpuSet island) {
    const bool is_enough = room >= problem.count && (island & problem.must).empty();
    room += island.size();
    return is_enough;
  };
  islands.erase(std::find_if(islands.begin(), islands.end(), is_needless), islands.end());
  return islands;
}

}  // namespace gs::devices
