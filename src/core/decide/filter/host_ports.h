// Ports of the node itself: two pods cannot have the same one.
#pragma once

#include <optional>

#include "core/cache/node_view.h"
#include "core/model/pod.h"
#include "core/model/reason.h"

namespace gs::filter {

[[nodiscard]] std::optional<model::Reason> RefusedByPorts(const model::Pod& pod,
                                                          const cache::NodeView& view);

}  // namespace gs::filter
