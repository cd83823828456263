// A pod's volumes on one node: those it has must be in reach, and those it has not must be found
// among what is there, or be made for that node. As kube-scheduler decides it.
#pragma once

#include <variant>

#include "core/cache/storage.h"
#include "core/model/node.h"
#include "core/model/pod.h"
#include "core/model/reason.h"

namespace gs::filter {

// Requires: RefusedByClaims has nothing against the pod.
[[nodiscard]] std::variant<cache::VolumeChoice, model::Reason> ChooseVolumes(
    const model::Pod& pod, const model::Node& node, const cache::Storage& storage);

}  // namespace gs::filter
