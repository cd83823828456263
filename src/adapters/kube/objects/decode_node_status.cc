#include <string>
#include <utility>

#include "adapters/kube/objects/decode.h"
#include "adapters/kube/objects/decode_object.h"

namespace gs::kube {
namespace {

// The object carries its node's name; spec.nodeName says so in so many words where it is written.
NodeStatus ReadNames(const JsonView& root) {
  NodeStatus status;
  const std::string name = root.Field("metadata").Field("name").RequiredText();
  const std::string stated = root.Field("spec").Field("nodeName").Text();
  status.node = NodeName(stated.empty() ? name : stated);
  status.resource_version = ResourceVersion(root.Field("metadata").Field("resourceVersion").Text());
  return status;
}

// An object is created without its status, which is written in a second step.
bool HasReport(std::string_view json) {
  const auto document = JsonDocument::Parse(json);
  return document && document->root().Field("status").Field("devices").is_present();
}

}  // namespace

Result<NodeStatus> DecodeNodeStatus(std::string_view json, const MachineReader& read_machine) {
  auto status = DecodeObject<NodeStatus>("node status", json, ReadNames);
  if (!status) return status;
  if (!HasReport(json)) return status;
  auto machine = read_machine(json);
  if (!machine) {
    return std::move(machine).error().Within("node status " + status->node.text());
  }
  status->machine = *std::move(machine);
  return status;
}

}  // namespace gs::kube
