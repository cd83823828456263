// The writes of an agent to the GpuNodeStatus of its node. It is the only writer, so that nothing
// is asked about the version that is there. Pure functions of their arguments.
#pragma once

#include "adapters/kube/objects/encode_node_status.h"
#include "adapters/kube/write/write_request.h"
#include "core/model/node_report.h"

namespace gs::kube {

[[nodiscard]] Result<WriteRequest> CreateNodeStatusRequest(const NodeStatusOwner& owner);
[[nodiscard]] Result<WriteRequest> AdoptNodeStatusRequest(const NodeStatusOwner& owner);
[[nodiscard]] Result<WriteRequest> NodeReportRequest(const NodeName& node,
                                                     const model::NodeReport& report);

}  // namespace gs::kube
