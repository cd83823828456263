// A node of the cluster as the scheduler needs it: what it offers, whom it keeps away, and its
// GPUs.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "core/model/device.h"
#include "core/model/labels.h"
#include "core/model/resources.h"
#include "core/model/taint.h"

namespace gs::model {

struct Node {
  NodeName name;
  NodeUid uid;  // another node may have the name later
  Labels labels;
  std::vector<Taint> taints;
  bool is_unschedulable = false;  // cordoned
  Resources allocatable;
  std::int64_t allocatable_pods = 0;
  std::int64_t gpu_capacity = 0;   // whole GPUs that device plugins count, healthy or not
  std::optional<Machine> machine;  // absent: no agent reports for this node

  friend bool operator==(const Node&, const Node&) = default;
};

std::ostream& operator<<(std::ostream& out, const Node& node);

}  // namespace gs::model
