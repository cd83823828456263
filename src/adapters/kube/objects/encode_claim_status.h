// A claim's status as it is written into the cluster.
#pragma once

#include <string>

#include "core/model/claim_status.h"

namespace gs::kube {

// A merge patch that leaves exactly this status, whatever was there.
[[nodiscard]] std::string EncodeClaimStatusPatch(const model::ClaimStatus& status);

}  // namespace gs::kube
