#include "core/decide/score/placeable.h"

#include <algorithm>
#include <numeric>

namespace gs::score {
namespace {

using devices::GpuSet;

std::int64_t SetsInIslands(const devices::Topology& topology, std::size_t size, GpuSet free) {
  std::int64_t sets = 0;
  for (const GpuSet island : topology.islands()) {
    sets += static_cast<std::int64_t>((island & free).size() / size);
  }
  return sets;
}

// Of sets of some GPUs.
void AddLost(GpuSet before, GpuSet after, LostSets& lost) {
  if (before == after) return;
  for (std::size_t i = 0; i < kSetSizes.size(); ++i) {
    lost.of[i] +=
        static_cast<std::int64_t>(before.size() / kSetSizes[i] - after.size() / kSetSizes[i]);
  }
}

}  // namespace

void SizeWeights::Add(std::int64_t gpus, std::int64_t pods) {
  if (gpus <= 0) return;
  for (std::size_t i = 0; i < kSetSizes.size(); ++i) {
    const bool is_last = i + 1 == kSetSizes.size();
    if (gpus > static_cast<std::int64_t>(kSetSizes[i]) && !is_last) continue;
    of[i] += pods;
    return;
  }
}

SetCounts CountSets(const devices::Topology& topology, GpuSet free, std::int64_t withheld) {
  const std::int64_t left =
      std::max<std::int64_t>(0, static_cast<std::int64_t>(free.size()) - withheld);
  SetCounts counts;
  for (std::size_t i = 0; i < kSetSizes.size(); ++i) {
    counts.anywhere[i] = left / static_cast<std::int64_t>(kSetSizes[i]);
    counts.in_islands[i] =
        std::min(counts.anywhere[i], SetsInIslands(topology, kSetSizes[i], free));
  }
  return counts;
}

LostSets FindLostSets(const devices::Topology& topology, GpuSet free_before, GpuSet free_after) {
  LostSets lost;
  AddLost(free_before, free_after, lost);
  for (const GpuSet island : topology.islands()) {
    AddLost(island & free_before, island & free_after, lost);
  }
  return lost;
}

std::int64_t Weigh(const LostSets& lost, const SizeWeights& weights) {
  return std::inner_product(lost.of.begin(), lost.of.end(), weights.of.begin(), std::int64_t{0});
}

std::int64_t PlaceableLoss(const devices::Topology& topology, GpuSet free_before, GpuSet free_after,
                           const SizeWeights& weights) {
  return Weigh(FindLostSets(topology, free_before, free_after), weights);
}

}  // namespace gs::score
