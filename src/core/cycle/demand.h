// Demand: how many pods there are of each size, pending or running, kept as they come and go. What
// a set of GPUs is worth depends on it, and to count all pods for that would take long.
#pragma once

#include <cstdint>
#include <map>

#include "base/ids.h"
#include "core/decide/score/placeable.h"

namespace gs::cycle {

class Demand {
 public:
  // The pod holds or asks for so many GPUs now; 0: none, or it is gone.
  void Set(const PodUid& pod, std::int64_t gpus);

  [[nodiscard]] const score::SizeWeights& weights() const { return weights_; }

 private:
  std::map<PodUid, std::int64_t> gpus_;  // of pods that have or want some
  score::SizeWeights weights_;
};

}  // namespace gs::cycle
