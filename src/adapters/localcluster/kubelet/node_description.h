// A simulated node as somebody describes it, and the objects it keeps in the API: the Node with its
// status, and the Lease of its heartbeat. Functions of the description and the time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "adapters/localcluster/objects/write.h"
#include "core/model/device.h"
#include "core/model/taint.h"

namespace gs::localcluster {

struct NodeDescription {
  std::string name;
  std::map<std::string, std::string> labels;  // besides those every node has
  std::vector<model::Taint> taints;
  std::string cpu = "16";
  std::string memory = "64Gi";
  std::int64_t pods = 110;
  model::Machine machine;  // its GPUs; none: a node without
  std::string address = "10.0.0.1";
  std::string pod_range = "10.244.0";  // pods get addresses 2 to 254 of it
};

// The Node as a kubelet registers it, with its first status.
[[nodiscard]] Json NodeObject(const NodeDescription& node, TimePoint now);
// The status at a heartbeat; what others wrote into `stored` stays.
[[nodiscard]] Json NodeStatusNow(const NodeDescription& node, const Json& stored, TimePoint now);
[[nodiscard]] Json HeartbeatLease(const NodeDescription& node, const Json* stored, TimePoint now);

}  // namespace gs::localcluster
