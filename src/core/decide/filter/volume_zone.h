// Zones and regions that a bound volume names by labels: a pod can use it only there. Newer volumes
// say the same by node affinity.
#pragma once

#include <optional>

#include "core/cache/storage.h"
#include "core/model/node.h"
#include "core/model/pod.h"
#include "core/model/reason.h"

namespace gs::filter {

// A node that says nothing about zones is in all of them.
[[nodiscard]] std::optional<model::Reason> RefusedByVolumeZone(const model::Pod& pod,
                                                               const model::Node& node,
                                                               const cache::Storage& storage);

}  // namespace gs::filter
