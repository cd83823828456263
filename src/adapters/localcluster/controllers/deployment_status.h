// What a Deployment says of itself: counts, whether enough is available, and whether it moves.
#pragma once

#include <vector>

#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {

// `newest` may be null. Adds a status write where something changed, and a later look where a
// deadline runs.
void WriteDeploymentStatus(Reconciled& reconciled, const Json& deployment,
                           const std::vector<Json>& sets, const Json* newest, TimePoint now);

// All replicas are of the newest template and available, as far as `status` says.
[[nodiscard]] bool IsComplete(const Json& deployment, const Json& status);

}  // namespace gs::localcluster
