// The status of PodDisruptionBudgets: how many of the pods they mean are healthy, and how many may
// be evicted.
#pragma once

#include <vector>

#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {

// `pods` are those of its namespace.
[[nodiscard]] Reconciled ReconcileBudget(const Json& budget, const std::vector<Json>& pods,
                                         TimePoint now);

}  // namespace gs::localcluster
