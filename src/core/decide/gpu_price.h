// GpuPrice: what it takes away to give a pod GPUs, apart from how much each part of it weighs.
//
// It depends on how a node is wired, on which of its GPUs are free and on what is asked, and on
// nothing else, so it stays while the pods that weigh it come and go.
#pragma once

#include <compare>
#include <cstdint>

#include "core/decide/ask.h"
#include "core/decide/devices/choice.h"
#include "core/decide/devices/topology.h"
#include "core/decide/score/placeable.h"

namespace gs::decide {

struct GpuPrice {
  std::int32_t misses_preference = 0;  // 1: not in one island, or too slow, though that was asked
  score::LostSets lost;                // that others can no longer have
  std::int64_t free_gpus_left = 0;

  friend auto operator<=>(const GpuPrice&, const GpuPrice&) = default;
};

[[nodiscard]] GpuPrice PriceOf(const devices::Choice& choice, const devices::Topology& topology,
                               const devices::Availability& availability, const CountedGpus& asked);

// Whether the same GPUs have the same price for both.
[[nodiscard]] bool ArePricedAlike(const CountedGpus& a, const CountedGpus& b);

}  // namespace gs::decide
