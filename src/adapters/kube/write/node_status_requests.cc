#include "adapters/kube/write/node_status_requests.h"

namespace gs::kube {
namespace {

constexpr std::string_view kManager = "gpu-scheduler-agent";

}  // namespace

Result<WriteRequest> CreateNodeStatusRequest(const NodeStatusOwner& owner) {
  return CreateRequest(kNodeStatuses, {}, EncodeNodeStatusObject(owner), kManager);
}

Result<WriteRequest> AdoptNodeStatusRequest(const NodeStatusOwner& owner) {
  return PatchRequest({.resource = kNodeStatuses, .ns = {}, .name = owner.node.text()},
                      PatchKind::kMerge, EncodeNodeStatusOwner(owner), kManager);
}

Result<WriteRequest> NodeReportRequest(const NodeName& node, const model::NodeReport& report) {
  return PatchRequest(
      {.resource = kNodeStatuses, .ns = {}, .name = node.text(), .subresource = "status"},
      PatchKind::kMerge, EncodeNodeReport(report), kManager);
}

}  // namespace gs::kube
