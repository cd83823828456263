// Any pod, and how an API server would write it; for properties.
#pragma once

#include <boost/json/object.hpp>

#include "core/model/pod.h"

namespace gs::kube {

// Drawn by RapidCheck. Requires: inside of a property.
[[nodiscard]] model::Pod AnyPod();

[[nodiscard]] boost::json::object PodJson(const model::Pod& pod);

}  // namespace gs::kube
