// A lock of ours as the Lease that is written into the cluster.
#pragma once

#include <string>

#include "base/ids.h"
#include "core/model/lease.h"

namespace gs::kube {

// The Lease as JSON for a create or an update. uid and resourceVersion are written if they are
// known, as preconditions.
[[nodiscard]] std::string EncodeLease(const model::GpuLease& lease, const Namespace& ns);

}  // namespace gs::kube
