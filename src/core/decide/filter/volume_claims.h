// The claims behind a pod's volumes: whether they are in a state that any node could be chosen by.
// What kube-scheduler asks of them before it looks at nodes.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "core/cache/storage.h"
#include "core/model/pod.h"
#include "core/model/reason.h"

namespace gs::filter {

// Each once, in order.
[[nodiscard]] std::set<cache::VolumeClaimKey> ClaimsOf(const model::Pod& pod);

[[nodiscard]] std::optional<model::Reason> RefusedByClaims(const model::Pod& pod,
                                                           const cache::Storage& storage);

}  // namespace gs::filter
