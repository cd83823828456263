// The arithmetic of a Deployment's rollout: how many pods each of its ReplicaSets should have next.
// Numbers in, numbers out; deployment.h turns them into writes.
#pragma once

#include <cstdint>
#include <vector>

#include "adapters/localcluster/objects/fields.h"

namespace gs::localcluster {

// What a rollout may do to a Deployment of that many replicas.
struct RolloutLimits {
  std::int64_t replicas = 0;
  std::int64_t max_surge = 0;
  std::int64_t max_unavailable = 0;
  bool is_rolling = true;  // else Recreate
};
[[nodiscard]] RolloutLimits LimitsOf(const Json& deployment);

struct SetSize {
  std::int64_t wanted = 0;      // spec.replicas
  std::int64_t available = 0;   // status.availableReplicas
  std::int64_t max_before = 0;  // its max-replicas annotation; 0: not known
};

// What the newest ReplicaSet may grow to while the others are there.
[[nodiscard]] std::int64_t NewSetSize(const RolloutLimits& limits, const SetSize& newest,
                                      std::int64_t total_wanted);

// What the old ones shrink to, in the order given (oldest first). First what is not available goes,
// then as many as the new one makes up for.
[[nodiscard]] std::vector<std::int64_t> OldSetSizes(const RolloutLimits& limits,
                                                    const SetSize& newest,
                                                    const std::vector<SetSize>& old);

// A Deployment that is scaled in the middle of a rollout: every set grows or shrinks in proportion.
// Requires: sorted from the largest to the smallest.
[[nodiscard]] std::vector<std::int64_t> ProportionalSizes(const RolloutLimits& limits,
                                                          std::int64_t status_replicas,
                                                          const std::vector<SetSize>& sets);

}  // namespace gs::localcluster
