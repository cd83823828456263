// One question as the searches take it: the request resolved against the node's present state.
#pragma once

#include <cstdint>

#include "core/decide/devices/gpu_set.h"
#include "core/decide/devices/objective.h"
#include "core/decide/devices/restriction.h"
#include "core/decide/devices/topology.h"

namespace gs::devices {

struct Problem {
  const Topology& topology;
  const Objective& objective;
  const Restriction& restriction;
  GpuSet candidates;  // healthy, and free or with room to share
  GpuSet unused;  // those of the candidates that nobody holds: what a choice may leave for others
  GpuSet must;    // in every set
  std::size_t count = 1;
};

struct Found {
  GpuSet set;
  std::int64_t rest_score = 0;  // best partition of the unused GPUs that the set leaves
  bool is_exact = true;
};

}  // namespace gs::devices
