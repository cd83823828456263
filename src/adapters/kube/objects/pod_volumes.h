// The volumes of a pod's spec as far as they tie it to a node. Internal to this folder.
#pragma once

#include <string>
#include <string_view>

#include "adapters/kube/objects/json_view.h"
#include "core/model/pod_ties.h"

namespace gs::kube {

// `pod` is the pod's name, after which claims for ephemeral volumes are named.
void ReadPodVolumes(const JsonView& volumes, const std::string& pod, model::PodTies& ties);

// Whether it is known what such a volume, "nfs" or "persistentVolumeClaim", asks of a node.
[[nodiscard]] bool IsKnownVolumeKind(std::string_view kind);

}  // namespace gs::kube
