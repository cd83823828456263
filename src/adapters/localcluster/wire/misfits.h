// Values of the wrong type in a built-in kind: a typed server cannot even read them.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "adapters/kube/wire/api_fields.h"

namespace gs::localcluster {

// The first one, in the words of a server: "cannot unmarshal string into field spec.replicas of
// type integer". Null is nothing, and fits everywhere.
[[nodiscard]] std::optional<std::string> FindMisfit(const kube::ApiType& type,
                                                    const boost::json::object& object);

}  // namespace gs::localcluster
