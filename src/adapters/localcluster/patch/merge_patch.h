// JSON Merge Patch (RFC 7386) as an API server applies it: an object merges member by member, null
// removes, everything else replaces. Refusals as in json_patch.h.
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"

namespace gs::localcluster {

[[nodiscard]] Result<boost::json::value> ApplyMergePatch(boost::json::value document,
                                                         const boost::json::value& patch);

}  // namespace gs::localcluster
