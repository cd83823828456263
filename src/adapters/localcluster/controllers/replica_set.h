// The ReplicaSet controller: as many pods of a template as were asked for, and a status that says
// how far it is.
#pragma once

#include <vector>

#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {

// `pods` are those the set controls, in any state.
[[nodiscard]] Reconciled ReconcileReplicaSet(const Json& set, const std::vector<Json>& pods,
                                             TimePoint now);

}  // namespace gs::localcluster
