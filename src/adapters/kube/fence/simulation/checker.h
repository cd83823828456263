// The promise, checked from what the API server stored and from nothing else.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "adapters/kube/fence/simulation/server.h"
#include "base/ids.h"

namespace gs::kube::simulation {

struct Cluster {
  int nodes = 1;
  int gpus = 1;     // of each node
  int sharers = 2;  // pods that may share a GPU
};

// At every revision: no GPU belongs to two pods that live, or of which something runs, unless all
// of them share it and they are no more than may; no node has pods that are counted and pods that
// were given ids; and no more GPUs are counted than there are. What was broken, or nothing.
[[nodiscard]] std::optional<std::string> FindDoubleAllocation(const Server& server,
                                                              const Cluster& cluster);

// When everything has come to rest, for the releases that run: every bound, live pod has its
// Leases, no Lease is without such a pod, no pod waits while there is room for it, and nothing is
// left in the fence but what nobody can touch. What is not so, or nothing.
[[nodiscard]] std::optional<std::string> FindLoss(const Server& server, const Cluster& cluster,
                                                  const std::set<SchedulerName>& running);

}  // namespace gs::kube::simulation
