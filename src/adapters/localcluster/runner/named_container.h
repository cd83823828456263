// Which container of a pod a request to a kubelet means.
#pragma once

#include <string>
#include <string_view>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/store/status.h"

namespace gs::localcluster {

// The one asked for, or the only one there is if none was.
[[nodiscard]] Answer<std::string> ContainerOf(const Json& pod, std::string_view asked);

}  // namespace gs::localcluster
