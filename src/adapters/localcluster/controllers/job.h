// The Job controller: pods until enough of them have succeeded or too many have failed. Every pod
// is counted exactly once: it carries a finalizer until the status says that it was seen.
#pragma once

#include <vector>

#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {

// `pods` are those the Job controls, in any state.
[[nodiscard]] Reconciled ReconcileJob(const Json& job, const std::vector<Json>& pods,
                                      TimePoint now);

}  // namespace gs::localcluster
