// Everything the heart of the agent can be told about its node: the GPUs as they were read, what
// the kubelet gave away, the pods, the Node, its own report in the cluster, and how writes ended.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "core/model/device_report.h"
#include "core/model/event.h"
#include "core/model/pod.h"

namespace gs::agent {

// The GPUs were read.
struct DevicesRead {
  std::uint64_t look = 0;  // the last LookAgain that was heard before the reading began
  model::DeviceReport report;
  friend bool operator==(const DevicesRead&, const DevicesRead&) = default;
};
// They could not be read: what was seen last stays.
struct DevicesUnreadable {
  std::string why;
  friend bool operator==(const DevicesUnreadable&, const DevicesUnreadable&) = default;
};

// The driver tells of trouble the moment it happens.
struct FaultSeen {
  model::GpuFault fault;
  friend bool operator==(const FaultSeen&, const FaultSeen&) = default;
};

// What the kubelet's device plugins gave to one pod, as the kubelet tells it. It knows no UIDs.
struct Held {
  Namespace ns;
  PodName pod;
  std::vector<std::string> devices;  // ids of any resource, as its plugin writes them
  friend bool operator==(const Held&, const Held&) = default;
};
struct HeldRead {
  std::uint64_t look = 0;  // as in DevicesRead
  std::vector<Held> held;
  friend bool operator==(const HeldRead&, const HeldRead&) = default;
};
// The kubelet cannot be asked here, so that only processes show what is in use.
struct HeldUnreadable {
  friend bool operator==(const HeldUnreadable&, const HeldUnreadable&) = default;
};

// How the write that was commanded last ended.
struct WriteAnswered {
  model::WriteOutcome outcome = model::WriteOutcome::kUnknown;
  ResourceVersion resource_version{};  // with kDone: of what is there now
  friend bool operator==(const WriteAnswered&, const WriteAnswered&) = default;
};

// Of the others, only what concerns this node.
using Event =
    std::variant<DevicesRead, DevicesUnreadable, FaultSeen, HeldRead, HeldUnreadable, WriteAnswered,
                 model::PodSeen, model::PodGone, model::NodeSeen, model::NodeGone,
                 model::MachineSeen, model::MachineGone, model::ViewReached>;

}  // namespace gs::agent
