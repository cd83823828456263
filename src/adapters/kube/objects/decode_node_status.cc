#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/kube/objects/decode.h"
#include "adapters/kube/objects/decode_object.h"
#include "adapters/kube/objects/encode_node_status.h"
#include "adapters/kube/objects/stated_devices.h"
#include "core/model/names.h"

namespace gs::kube {
namespace {

// A time that nobody can read is no reason to refuse the GPUs.
TimePoint ReadTime(const JsonView& text) {
  const auto time = ParseTime(text.Word());
  return time ? *time : TimePoint{};
}

model::ReportNotes ReadNotes(const JsonView& status) {
  model::ReportNotes notes{.driver_version = status.Field("driverVersion").Text(),
                           .observed_at = ReadTime(status.Field("observedAt")),
                           .why_stale = {},
                           .since = {}};
  for (const JsonView& condition : status.Field("conditions").Items()) {
    if (condition.Field("type").Word() != kReadyCondition) continue;
    if (condition.Field("status").Word() == "False") {
      notes.why_stale = condition.Field("message").Text();
    }
    notes.since = ReadTime(condition.Field("lastTransitionTime"));
  }
  return notes;
}

NodeUid ReadOwner(const JsonView& metadata) {
  for (const JsonView& owner : metadata.Field("ownerReferences").Items()) {
    if (owner.Field("kind").Word() == "Node") return NodeUid(owner.Field("uid").Text());
  }
  return {};
}

// The object carries its node's name; spec.nodeName says so in so many words where it is written.
NodeStatus ReadNames(const JsonView& root) {
  NodeStatus status;
  const std::string name = root.Field("metadata").Field("name").RequiredText();
  const std::string stated = root.Field("spec").Field("nodeName").Text();
  status.node = NodeName(stated.empty() ? name : stated);
  const JsonView metadata = root.Field("metadata");
  status.resource_version = ResourceVersion(metadata.Field("resourceVersion").Text());
  status.owner = ReadOwner(metadata);
  status.reporter = metadata.Field("annotations").Field(model::names::kReporterAnnotation).Text();
  status.notes = ReadNotes(root.Field("status"));
  return status;
}

}  // namespace

Result<NodeStatus> DecodeNodeStatus(const JsonSource& json) {
  std::optional<std::vector<model::StatedDevice>> devices;
  auto status = DecodeObject<NodeStatus>("node status", json, [&](const JsonView& root) {
    // An object is created without its status, which is written in a second step.
    if (root.Field("status").Field("devices").is_present()) devices = ReadStatedDevices(root);
    return ReadNames(root);
  });
  if (!status || !devices) return status;
  auto machine = model::MakeMachine(*std::move(devices), "status.devices");
  if (!machine) {
    return std::move(machine).error().Within("node status " + status->node.text());
  }
  status->machine = *std::move(machine);
  return status;
}

}  // namespace gs::kube
