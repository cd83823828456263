// The Deployment controller: one ReplicaSet per version of the template, the newest one growing and
// the old ones shrinking within maxSurge and maxUnavailable, or one after the other (Recreate).
#pragma once

#include <vector>

#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {

// `sets` are the ReplicaSets the Deployment controls. `pods_left` counts the pods of its old sets
// that are not finished, those on their way out included: Recreate waits for them.
[[nodiscard]] Reconciled ReconcileDeployment(const Json& deployment, std::vector<Json> sets,
                                             std::size_t pods_left, TimePoint now);

}  // namespace gs::localcluster
