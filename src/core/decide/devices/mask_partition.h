// Best partitions of every subset of up to 16 GPUs, as one dense array by bit mask.
#pragma once

#include <cstdint>
#include <vector>

#include "core/decide/devices/topology.h"

namespace gs::devices {

inline constexpr std::size_t kMaxMaskGpus = 16;

// A mask over at most 16 chosen GPUs: bit i stands for the i-th member of the set it was made for.
using Mask = std::uint32_t;

class MaskPartition {
 public:
  // `gpus` are the GPUs that may be left over, `size` what a set has. Requires: gpus.size() <= 16,
  // size >= 1. Cost: with 16 GPUs some 5 million steps at the worst size.
  MaskPartition(const Topology& topology, GpuSet gpus, int size);

  // The highest total score of a partition of the masked GPUs into sets of that size and one
  // smaller set for what does not fill one; for size 1, the sum of all pair scores.
  [[nodiscard]] std::int32_t Best(Mask mask) const { return best_[mask]; }
  // Sum of the pair scores inside the masked GPUs.
  [[nodiscard]] std::int32_t Score(Mask mask) const { return score_[mask]; }

  [[nodiscard]] GpuSet SetOf(Mask mask) const;
  // GPUs that are not among `gpus` are left out.
  [[nodiscard]] Mask MaskOf(GpuSet set) const;

 private:
  void FillScores(const Topology& topology);
  void FillBest(int size);
  [[nodiscard]] std::int32_t BestOf(Mask mask, int size) const;

  std::vector<std::size_t> positions_;
  std::vector<std::int32_t> score_;
  std::vector<std::int32_t> best_;
};

}  // namespace gs::devices
