// Two ways to hand GPUs to containers never meet on one node: a device plugin may hand out any GPU
// of its node, also one whose id was given to a pod directly, or one on which something is left of
// a pod that is gone.
#pragma once

#include <cstdint>
#include <optional>

#include "core/cache/node_view.h"
#include "core/model/reason.h"

namespace gs::filter {

enum class Wants : std::uint8_t {
  kNoGpus,
  kCounted,  // requests a GPU resource
  kDirect,   // gets ids without it
};

[[nodiscard]] std::optional<model::Reason> RefusedByHandover(Wants wants,
                                                             const cache::NodeView& view);

}  // namespace gs::filter
