// What a pod's spec demands of its node besides resources. Internal to this folder.
#pragma once

#include "adapters/kube/objects/json_view.h"
#include "adapters/kube/objects/pod_rules.h"
#include "core/model/placement_rules.h"

namespace gs::kube {

// What could keep the pod off a node and is not understood ends in `unsupported`, each field once.
// Of wishes only those about nodes are read, and one that is not understood is left out.
[[nodiscard]] model::PlacementRules ReadPlacementRules(const JsonView& spec,
                                                       const PodIdentity& pod);

}  // namespace gs::kube
