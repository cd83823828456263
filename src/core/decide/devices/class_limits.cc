#include "core/decide/devices/class_limits.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "core/decide/devices/largest_islands.h"

namespace gs::devices {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

}  // namespace

// Sharing is decided before islands are, so it lifts the limits. So does a restriction for spread,
// where the few pairs that could be reached may not be allowed; for sets close together it only
// ever asks for one island.
ClassLimits::ClassLimits(const Problem& problem)
    : problem_(problem), most_islands_(kNoLimit), most_pairs_(kNoLimit) {
  if (problem.candidates != problem.unused) return;
  if (problem.objective.aim() == Aim::kTogether) {
    most_islands_ = static_cast<std::int64_t>(LargestIslands(problem).size());
  }
  if (problem.objective.aim() == Aim::kApart && problem.restriction.Allows(problem.candidates)) {
    most_pairs_ = FewestPairs();
  }
}

bool ClassLimits::Allow(GpuSet partial) const {
  if (most_islands_ != kNoLimit) {
    return static_cast<std::int64_t>(problem_.topology.IslandsTouched(partial)) <= most_islands_;
  }
  return most_pairs_ == kNoLimit ||
         PairsInside(problem_.topology.islands(), partial) <= most_pairs_;
}

// One GPU at a time into the island that has fewest of the set so far and still has room.
std::int64_t ClassLimits::FewestPairs() const {
  struct Island {
    std::int64_t taken;
    std::size_t room;
  };
  std::vector<Island> islands;
  for (const GpuSet island : problem_.topology.islands()) {
    const std::size_t musts = (island & problem_.must).size();
    islands.push_back(
        {static_cast<std::int64_t>(musts), (island & problem_.candidates).size() - musts});
  }
  for (std::size_t missing = problem_.count - problem_.must.size(); missing > 0; --missing) {
    const auto emptiest =
        std::min_element(islands.begin(), islands.end(), [](const Island& a, const Island& b) {
          return std::pair(a.room == 0, a.taken) < std::pair(b.room == 0, b.taken);
        });
    ++emptiest->taken;
    --emptiest->room;
  }
  std::int64_t pairs = 0;
  for (const Island& island : islands) pairs += island.taken * (island.taken - 1) / 2;
  return pairs;
}

}  // namespace gs::devices
