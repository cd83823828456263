// Replay: one stream of pods under one way of choosing the node, with everything else alike: the
// same filters, and the same GPUs inside a node.
#pragma once

#include <cstdint>
#include <string_view>

#include "bench/replay/stream.h"

namespace gs::replay {

enum class Policy : std::uint8_t {
  kOurs,      // decide::Decide
  kBestFit,   // the node with the fewest free GPUs left afterwards
  kFirstFit,  // the first by name
  kRandom,    // any
};

[[nodiscard]] std::string_view ToString(Policy policy);

// What to do with a pod that fits nowhere when it arrives.
enum class Misfit : std::uint8_t { kDropped, kWaits };

struct Tally {
  std::int64_t pods = 0;     // placed
  std::int64_t gpus = 0;     // placed
  std::int64_t linked = 0;   // pods of several GPUs that got them in one island
  std::int64_t several = 0;  // pods of several GPUs that were placed
  double used = 0;           // share of the cluster's GPU time, from the first arrival to the last
  double waited = 0;         // hours per pod, those that never got their turn included

  friend bool operator==(const Tally&, const Tally&) = default;
};

[[nodiscard]] Tally Replay(const Stream& stream, Policy policy, Misfit misfit, std::uint32_t seed);

}  // namespace gs::replay
