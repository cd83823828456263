// The options of a delete, which come in a body, in the query, or not at all.
#pragma once

#include "adapters/localcluster/api/request.h"
#include "adapters/localcluster/store/objects.h"

namespace gs::localcluster {

[[nodiscard]] Answer<DeleteOptions> ReadDeleteOptions(const ApiRequest& request);
// Of an object such as the deleteOptions of an eviction.
[[nodiscard]] Answer<DeleteOptions> ReadDeleteOptions(const boost::json::object& object);

}  // namespace gs::localcluster
