// What another release is binding to a node takes its GPUs, and as long as a device plugin chooses
// for one of the two nobody knows which: so such pods of ours stay away from the whole node until
// the other one is bound or given up. The fence would not take them: see Clash in model/fence.h.
#pragma once

#include <optional>

#include "core/cache/node_view.h"
#include "core/decide/filter/handover.h"
#include "core/model/reason.h"

namespace gs::filter {

[[nodiscard]] std::optional<model::Reason> RefusedByOthers(Wants wants,
                                                           const cache::NodeView& view);

}  // namespace gs::filter
