#include "core/decide/score/placeable.h"

#include <algorithm>

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

// Of sets of each size, weighed, that can no longer be had of some GPUs.
std::int64_t LossOf(GpuSet before, GpuSet after, const SizeWeights& weights) {
  if (before == after) return 0;
  std::int64_t loss = 0;
  for (std::size_t i = 0; i < kSetSizes.size(); ++i) {
    const std::size_t sets = before.size() / kSetSizes[i] - after.size() / kSetSizes[i];
    loss += weights.of[i] * static_cast<std::int64_t>(sets);
  }
  return loss;
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

std::int64_t PlaceableLoss(const devices::Topology& topology, GpuSet free_before, GpuSet free_after,
                           const SizeWeights& weights) {
  std::int64_t loss = LossOf(free_before, free_after, weights);
  for (const GpuSet island : topology.islands()) {
    loss += LossOf(island & free_before, island & free_after, weights);
  }
  return loss;
}

}  // namespace gs::score
