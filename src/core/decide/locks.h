// The Leases that an allocation needs: one per GPU, made anew, or joined where it may be shared.
#pragma once

#include <vector>

#include "base/ids.h"
#include "core/cache/cache.h"
#include "core/model/allocation.h"
#include "core/model/lease.h"
#include "core/model/pod.h"

namespace gs::decide {

// A lock that is to be joined has the uid and version it was seen in; one that is to be made has
// none. What an earlier attempt of the pod has left is taken over. Requires: `cache` lets the pod
// have these GPUs.
[[nodiscard]] std::vector<model::GpuLease> LocksFor(const model::Allocation& allocation,
                                                    const model::Pod& pod, const AttemptId& attempt,
                                                    const cache::Cache& cache);

}  // namespace gs::decide
