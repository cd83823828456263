// A node as it would be if some of its pods had ended.
#pragma once

#include <vector>

#include "base/ids.h"
#include "core/cache/cache.h"
#include "core/cache/node_view.h"
#include "core/model/pod.h"

namespace gs::decide {

// Everybody who holds GPUs on the node or has counted ones there, oldest first, then by name.
[[nodiscard]] std::vector<model::PodRef> GpuPodsOn(const cache::NodeView& view,
                                                   const cache::Cache& cache);

// Takes the pod off: its GPUs, its locks and what it uses of the node.
void TakeOff(cache::NodeView& view, const PodUid& pod, const cache::Cache& cache);

}  // namespace gs::decide
