// What a choice takes away from others: how many more sets of 1, 2, 4 and 8 GPUs a node could still
// give out, anywhere and inside one island.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "core/decide/devices/gpu_set.h"
#include "core/decide/devices/topology.h"

namespace gs::score {

inline constexpr std::array<std::size_t, 4> kSetSizes{1, 2, 4, 8};

// How much a lost set of each size counts: 1 plus the pods, pending or running, that ask for it.
struct SizeWeights {
  std::array<std::int64_t, kSetSizes.size()> of{1, 1, 1, 1};

  // A pod of another size counts for the next larger one.
  void Add(std::int64_t gpus, std::int64_t pods = 1);
};

// How many sets of each size could be given out at once, each size for itself.
struct SetCounts {
  std::array<std::int64_t, kSetSizes.size()> anywhere{};
  std::array<std::int64_t, kSetSizes.size()> in_islands{};

  friend bool operator==(const SetCounts&, const SetCounts&) = default;
};

// Of those GPUs `withheld` are not to be had, and nobody knows which.
[[nodiscard]] SetCounts CountSets(const devices::Topology& topology, devices::GpuSet free,
                                  std::int64_t withheld = 0);

// How many sets of each size could be given out before and can no longer after: anywhere, and once
// more for each inside an island.
struct LostSets {
  std::array<std::int64_t, kSetSizes.size()> of{};

  friend auto operator<=>(const LostSets&, const LostSets&) = default;
};

[[nodiscard]] LostSets FindLostSets(const devices::Topology& topology, devices::GpuSet free_before,
                                    devices::GpuSet free_after);
[[nodiscard]] std::int64_t Weigh(const LostSets& lost, const SizeWeights& weights);

// Both at once.
[[nodiscard]] std::int64_t PlaceableLoss(const devices::Topology& topology,
                                         devices::GpuSet free_before, devices::GpuSet free_after,
                                         const SizeWeights& weights);

}  // namespace gs::score
