// Whole lives of pods as the cycle sees them: the pod, the list in the fence, the answers to
// Bindings and Leases, what the watches show of them; a few of these per run, as they come from a
// real API server.
#pragma once

#include "bench/core/made_up_cluster.h"

namespace gs::bench {

struct PodLives {
  double microseconds = 0;  // of the cycle's thread, for one pod
  double runs = 0;          // of the cycle, for one pod
};

// So many pods wait when it begins; it ends when all of them are seen bound, with their Leases.
[[nodiscard]] PodLives TimePodLives(MadeUpCluster& cluster, int pods, int gpus);

}  // namespace gs::bench
