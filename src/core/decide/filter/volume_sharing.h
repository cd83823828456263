// Volumes that not everybody may share: claims that are for one pod at a time, and disks that pods
// name themselves.
#pragma once

#include <optional>

#include "core/cache/storage.h"
#include "core/model/pod.h"
#include "core/model/reason.h"

namespace gs::filter {

[[nodiscard]] std::optional<model::Reason> RefusedBySharing(const model::Pod& pod,
                                                            const NodeName& node,
                                                            const cache::Storage& storage);

}  // namespace gs::filter
