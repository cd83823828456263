// VolumesOn: whether a pod can have its volumes on a node, by every rule there is about them, and
// how it comes to those that it does not have yet.
#pragma once

#include <variant>

#include "core/cache/storage.h"
#include "core/model/node.h"
#include "core/model/pod.h"
#include "core/model/reason.h"

namespace gs::decide {

[[nodiscard]] std::variant<cache::VolumeChoice, model::Reason> VolumesOn(
    const model::Pod& pod, const model::Node& node, const cache::Storage& storage);

}  // namespace gs::decide
