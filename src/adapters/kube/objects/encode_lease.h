// Who has a GPU, as the Lease that is written into the cluster for people to read.
#pragma once

#include <optional>
#include <string>

#include "adapters/kube/objects/owner_reference.h"
#include "base/ids.h"
#include "core/model/lease.h"

namespace gs::kube {

// The Lease as JSON for a create or an update. uid and resourceVersion are written if they are
// known, as preconditions. Without an owner it stays when the release is uninstalled.
[[nodiscard]] std::string EncodeLease(const model::GpuLease& lease, const Namespace& ns,
                                      const std::optional<OwnerReference>& owner = std::nullopt);

}  // namespace gs::kube
