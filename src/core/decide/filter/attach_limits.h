// How many volumes of a driver a node can attach, as its CSINode says. A volume counts once however
// many pods of the node use it, and until its VolumeAttachment is gone if none does any more.
#pragma once

#include <optional>

#include "core/cache/storage.h"
#include "core/model/pod.h"
#include "core/model/reason.h"

namespace gs::filter {

[[nodiscard]] std::optional<model::Reason> RefusedByAttachLimit(const model::Pod& pod,
                                                                const NodeName& node,
                                                                const cache::Storage& storage);

}  // namespace gs::filter
