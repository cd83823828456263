// A GpuNodeStatus as JSON: the object when it is made, and the report that is written into it.
//
// The status is a part of its own, so an object is made without one and gets it in a second step.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"
#include "core/model/node_report.h"

namespace gs::kube {

// False where the report is what was seen last, because the GPUs cannot be read now.
inline constexpr std::string_view kReadyCondition = "Ready";

// Whose object it is: the node's, so that it goes with it, and the agent's that writes it.
struct NodeStatusOwner {
  NodeName node;
  NodeUid node_uid;
  std::string reporter;
};

[[nodiscard]] std::string EncodeNodeStatusObject(const NodeStatusOwner& owner);
// A merge patch that makes an object which is there this owner's.
[[nodiscard]] std::string EncodeNodeStatusOwner(const NodeStatusOwner& owner);
// A merge patch of the whole status; what it does not have any more is removed.
[[nodiscard]] std::string EncodeNodeReport(const model::NodeReport& report);

}  // namespace gs::kube
