// What people are told about the fence: why a process does not lead, why it lost, and what to do.
// Internal to this folder.
#pragma once

#include <string>

#include "adapters/kube/fence/fence_lease.h"
#include "adapters/kube/fence/fence_request.h"

namespace gs::kube {

// Why the release of `self` cannot lead, or commits nothing, as long as the fence is like this;
// empty: it can.
[[nodiscard]] std::string WhyNot(const FenceLease& fence, const FenceSelf& self);

// Why nothing comes of this request.
[[nodiscard]] std::string WhyFailed(const FenceRequest& request, const FenceAnswer& answer,
                                    const FenceSelf& self);

// Why a process that led has lost, given that our record in the fence is no longer its.
[[nodiscard]] std::string WhyLost(const FenceLease& fence, const SchedulerName& scheduler);

}  // namespace gs::kube
