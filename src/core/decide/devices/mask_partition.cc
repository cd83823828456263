#include "core/decide/devices/mask_partition.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "core/decide/devices/subsets.h"

namespace gs::devices {

MaskPartition::MaskPartition(const Topology& topology, GpuSet gpus, int size)
    : positions_(gpus.begin(), gpus.end()),
      score_(std::size_t{1} << gpus.size(), 0),
      best_(std::size_t{1} << gpus.size(), 0) {
  GS_CHECK(gpus.size() <= kMaxMaskGpus && size >= 1);
  FillScores(topology);
  FillBest(size);
}

void MaskPartition::FillScores(const Topology& topology) {
  for (Mask mask = 1; mask < score_.size(); ++mask) {
    const auto first = static_cast<std::size_t>(std::countr_zero(mask));
    const Mask others = mask & (mask - 1);
    std::int32_t score = score_[others];
    for (Mask left = others; left != 0; left &= left - 1) {
      const auto other = static_cast<std::size_t>(std::countr_zero(left));
      score += topology.PairScore(positions_[first], positions_[other]);
    }
    score_[mask] = score;
  }
}

void MaskPartition::FillBest(int size) {
  if (size == 1) {
    best_ = score_;
    return;
  }
  // A mask needs only masks with its lowest bit removed, which are smaller numbers and thus ready.
  for (Mask mask = 1; mask < best_.size(); ++mask) best_[mask] = BestOf(mask, size);
}

// The lowest GPU is in some set of the partition: try every set that has it. The set is a full one
// or, if the GPUs do not divide evenly, the one smaller set; after that one the remaining GPUs
// divide evenly, so the mask says it all.
std::int32_t MaskPartition::BestOf(Mask mask, int size) const {
  const int members = std::popcount(mask);
  if (members <= size) return score_[mask];
  const Mask lowest = mask & (~mask + 1);
  std::int32_t best = 0;
  auto visit = [&](Mask set) { best = std::max(best, score_[set] + best_[mask ^ set]); };
  ForEachSubset<Mask>(mask ^ lowest, size - 1, lowest, visit);
  if (const int smaller = members % size; smaller > 0) {
    ForEachSubset<Mask>(mask ^ lowest, smaller - 1, lowest, visit);
  }
  return best;
}

GpuSet MaskPartition::SetOf(Mask mask) const {
  GpuSet set;
  for (Mask left = mask; left != 0; left &= left - 1) {
    set.Add(positions_[static_cast<std::size_t>(std::countr_zero(left))]);
  }
  return set;
}

Mask MaskPartition::MaskOf(GpuSet set) const {
  Mask mask = 0;
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    if (set.Has(positions_[i])) mask |= Mask{1} << i;
  }
  return mask;
}

}  // namespace gs::devices
