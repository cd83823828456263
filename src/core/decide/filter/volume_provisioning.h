// Whether a volume can be made for a claim that pods on a node can reach: by its class, the
// topologies that the class allows, and what the driver says it has left.
#pragma once

#include <optional>

#include "core/cache/storage.h"
#include "core/model/node.h"
#include "core/model/reason.h"
#include "core/model/storage.h"

namespace gs::filter {

[[nodiscard]] std::optional<model::Reason> RefusedByProvisioning(const model::VolumeClaim& claim,
                                                                 const model::Node& node,
                                                                 const cache::Storage& storage);

}  // namespace gs::filter
