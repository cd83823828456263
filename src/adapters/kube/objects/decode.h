// API objects as JSON text to the values of core/model, reading only the fields that are used.
//
// Fields that an API server may leave out may be absent; one that is there and wrong refuses the
// object, with its path and the object's name. Pure functions of the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/kube/objects/json_source.h"
#include "base/ids.h"
#include "base/result.h"
#include "core/model/claim.h"
#include "core/model/device.h"
#include "core/model/lease.h"
#include "core/model/node.h"
#include "core/model/node_report.h"
#include "core/model/pod.h"

namespace gs::kube {

// Annotations that are not ours are left out.
[[nodiscard]] Result<model::Pod> DecodePod(const JsonSource& json);

// Without a machine: that is the agent's to tell.
[[nodiscard]] Result<model::Node> DecodeNode(const JsonSource& json);

[[nodiscard]] Result<model::Claim> DecodeClaim(const JsonSource& json);

// Who has a GPU, as EncodeLease writes it.
[[nodiscard]] Result<model::GpuLease> DecodeLease(const JsonSource& json);

// A GpuNodeStatus. Its machine is consistent as one of a machine file is.
struct NodeStatus {
  NodeName node;
  ResourceVersion resource_version;
  NodeUid owner;         // the node it was made for; empty: it names none
  std::string reporter;  // the agent that writes it; empty: it names none
  model::ReportNotes notes;
  std::optional<model::Machine>
      machine;  // absent: the object is there, but nobody has reported yet
  friend bool operator==(const NodeStatus&, const NodeStatus&) = default;
};
[[nodiscard]] Result<NodeStatus> DecodeNodeStatus(const JsonSource& json);

}  // namespace gs::kube
