// Near which other pods a pod must run, and away from which: the required parts of its pod affinity
// and anti-affinity. What it merely prefers is not read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "core/model/selector.h"

namespace gs::model {

// Pods of the chosen namespaces that the selector matches; near is a node with the same value of
// the topology label. matchLabelKeys and mismatchLabelKeys are part of the selector.
struct PodAffinityTerm {
  std::optional<LabelSelector> selector;            // absent: matches no pod
  std::vector<Namespace> namespaces;                // the pod's own where none is chosen
  std::optional<LabelSelector> namespace_selector;  // also those; without requirements: all
  std::string topology_key;

  friend bool operator==(const PodAffinityTerm&, const PodAffinityTerm&) = default;
};

// "app In (web) per zone"
[[nodiscard]] std::string ToString(const PodAffinityTerm& term);

}  // namespace gs::model
