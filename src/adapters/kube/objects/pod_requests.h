// What a pod asks of its node, by the rules that kube-scheduler and the kubelet follow. Internal to
// this folder.
#pragma once

#include "adapters/kube/objects/json_view.h"
#include "core/model/resources.h"

namespace gs::kube {

// Containers and sidecars run together; every other init container runs alone beside the sidecars
// that were started before it. The pod asks for the larger of the two, resource by resource;
// requests of the pod as a whole replace that for the resources that have them; overhead comes on
// top. A container that is being resized counts as the larger of what it has and what it asks for.
[[nodiscard]] model::Resources PodRequests(const JsonView& pod);

}  // namespace gs::kube
