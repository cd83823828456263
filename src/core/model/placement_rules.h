// What a pod demands of its node besides resources.
#pragma once

#include <string>
#include <vector>

#include "core/model/labels.h"
#include "core/model/node_affinity.h"
#include "core/model/pod_affinity.h"
#include "core/model/spread_constraint.h"
#include "core/model/toleration.h"

namespace gs::model {

struct PlacementRules {
  Labels node_selector;
  std::vector<NodeSelectorTerm> node_affinity;  // one must match; empty: every node will do
  std::vector<PreferredNodes> preferred_nodes;
  std::vector<PodAffinityTerm> pod_affinity;  // each must hold
  std::vector<SpreadConstraint> spread;       // each must hold
  std::vector<Toleration> tolerations;
  std::vector<std::string> gates;  // names of spec.schedulingGates: it must wait while there is one
  // Fields of the spec that would have a say and are not honoured, such as
  // "spec.topologySpreadConstraints": such a pod is not placed, because it might be placed wrongly.
  std::vector<std::string> unsupported;

  friend bool operator==(const PlacementRules&, const PlacementRules&) = default;
};

}  // namespace gs::model
