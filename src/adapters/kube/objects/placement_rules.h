// What a pod's spec demands of its node besides resources. Internal to this folder.
#pragma once

#include "adapters/kube/objects/json_view.h"
#include "core/model/placement_rules.h"

namespace gs::kube {

// What only says how good a node is, such as preferred terms, is left out. What could keep the pod
// off a node and is not understood ends in `unsupported`, each field once.
[[nodiscard]] model::PlacementRules ReadPlacementRules(const JsonView& spec);

}  // namespace gs::kube
