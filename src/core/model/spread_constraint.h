// How evenly pods that look alike must be spread over zones, racks or nodes: a constraint of
// spec.topologySpreadConstraints that must hold. Those that may be broken are not read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/selector.h"

namespace gs::model {

struct SpreadConstraint {
  std::string topology_key;
  std::int32_t max_skew = 1;
  std::int32_t min_domains = 1;
  std::optional<LabelSelector> selector;  // matchLabelKeys are part of it; absent: matches no pod
  bool honours_affinity = true;           // nodes that the pod may not use are not counted
  bool honours_taints = false;            // likewise nodes that keep it away

  friend bool operator==(const SpreadConstraint&, const SpreadConstraint&) = default;
};

// "app In (web) per zone with a skew of at most 1"
[[nodiscard]] std::string ToString(const SpreadConstraint& constraint);

}  // namespace gs::model
