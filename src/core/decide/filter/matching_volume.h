// Which volume that is there already suits a claim that has none: the rules by which the volume
// controller of Kubernetes would bind it.
#pragma once

#include <set>
#include <string>

#include "core/cache/storage.h"
#include "core/model/node.h"
#include "core/model/storage.h"

namespace gs::filter {

// Whether pods on that node can use the volume.
[[nodiscard]] bool IsReachable(const model::Volume& volume, const model::Node& node);

// The volume that is kept for the claim, else the smallest that is free, large enough and of the
// class, modes and labels that are asked for, else by name; without those in `others`. Null: none.
// Linear in the volumes of the class.
[[nodiscard]] const model::Volume* MatchingVolume(const model::VolumeClaim& claim,
                                                  const model::Node& node,
                                                  const cache::Storage& storage,
                                                  const std::set<std::string>& others);

}  // namespace gs::filter
