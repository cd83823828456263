// Fields that a built-in kind does not have: a typed server never sees them, or refuses them when
// it is asked to be strict.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "adapters/kube/wire/api_fields.h"

namespace gs::localcluster {

// Takes them away and tells where they were: "spec.containers[0].imag".
[[nodiscard]] std::vector<std::string> DropUnknownFields(const kube::ApiType& type,
                                                         boost::json::object& object);

}  // namespace gs::localcluster
