// What ties a pod to its node and keeps others away, also once it is bound. Internal to this
// folder.
#pragma once

#include "adapters/kube/objects/json_view.h"
#include "adapters/kube/objects/pod_rules.h"
#include "core/model/pod_ties.h"

namespace gs::kube {

// An anti-affinity that is not understood is left out: of a pod that waits it is refused elsewhere,
// and of one that is bound nobody can say what it means.
[[nodiscard]] model::PodTies ReadPodTies(const JsonView& spec, const PodIdentity& pod);

}  // namespace gs::kube
