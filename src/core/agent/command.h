// Everything the heart of the agent can ask for.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "base/ids.h"
#include "core/model/command.h"
#include "core/model/node_report.h"

namespace gs::agent {

// Make the node's GpuNodeStatus, owned by the node, without a report yet.
struct CreateObject {
  NodeUid owner;
  friend bool operator==(const CreateObject&, const CreateObject&) = default;
};
// It is there: make it this node's, and ours.
struct AdoptObject {
  NodeUid owner;
  friend bool operator==(const AdoptObject&, const AdoptObject&) = default;
};
// Put the whole report into it.
struct WriteReport {
  model::NodeReport report;
  friend bool operator==(const WriteReport&, const WriteReport&) = default;
};
// A Kubernetes event about the node.
struct RaiseEvent {
  NodeUid node;
  model::EventType type = model::EventType::kNormal;
  std::string reason;
  std::string message;
  friend bool operator==(const RaiseEvent&, const RaiseEvent&) = default;
};
// Read the GPUs and ask the kubelet now; what comes of it carries this number.
struct LookAgain {
  std::uint64_t look = 0;
  friend bool operator==(const LookAgain&, const LookAgain&) = default;
};

// The first three ask for a WriteAnswered, and no other of them comes before it.
using Command = std::variant<CreateObject, AdoptObject, WriteReport, RaiseEvent, LookAgain>;

}  // namespace gs::agent
