#include "core/decide/score/placeable.h"

namespace gs::score {
namespace {

using devices::GpuSet;

std::int64_t SetsOf(std::size_t size, GpuSet free) {
  return static_cast<std::int64_t>(free.size() / size);
}

std::int64_t SetsInIslands(const devices::Topology& topology, std::size_t size, GpuSet free) {
  std::int64_t sets = 0;
  for (const GpuSet island : topology.islands()) sets += SetsOf(size, island & free);
  return sets;
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

std::int64_t PlaceableLoss(const devices::Topology& topology, GpuSet free_before, GpuSet free_after,
                           const SizeWeights& weights) {
  std::int64_t loss = 0;
  for (std::size_t i = 0; i < kSetSizes.size(); ++i) {
    const std::size_t size = kSetSizes[i];
    const std::int64_t anywhere = SetsOf(size, free_before) - SetsOf(size, free_after);
    const std::int64_t in_islands =
        SetsInIslands(topology, size, free_before) - SetsInIslands(topology, size, free_after);
    loss += weights.of[i] * (anywhere + in_islands);
  }
  return loss;
}

}  // namespace gs::score
