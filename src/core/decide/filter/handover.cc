#include "core/decide/filter/handover.h"

#include <string>

namespace gs::filter {

using model::ReasonToken;

std::optional<model::Reason> RefusedByHandover(Wants wants, const cache::NodeView& view) {
  if (wants == Wants::kCounted && !view.direct_pods.empty()) {
    return model::Reason{ReasonToken::kHandoverConflict, "it asks a device plugin for GPUs, and " +
                                                             ToString(view.direct_pods.front()) +
                                                             " holds GPUs there without one"};
  }
  if (wants == Wants::kCounted && !view.releasing_pods.empty()) {
    return model::Reason{ReasonToken::kGpuReleasing,
                         "it asks a device plugin for GPUs, which does not know that " +
                             ToString(view.releasing_pods.front()) +
                             " is gone and may still use some there"};
  }
  if (wants == Wants::kDirect && !view.counted_pods.empty()) {
    return model::Reason{
        ReasonToken::kHandoverConflict,
        "a device plugin hands out GPUs there, to " + ToString(view.counted_pods.front())};
  }
  return std::nullopt;
}

}  // namespace gs::filter
