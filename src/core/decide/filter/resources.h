// Room on a node: CPU, memory, everything else that is counted, and the number of pods.
#pragma once

#include <optional>

#include "core/cache/node_view.h"
#include "core/model/pod.h"
#include "core/model/reason.h"

namespace gs::filter {

[[nodiscard]] std::optional<model::Reason> RefusedByRoom(const model::Pod& pod,
                                                         const cache::NodeView& view);

}  // namespace gs::filter
