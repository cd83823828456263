// Strategic merge patch: a merge patch that knows which lists of a kind are merged by key, and
// understands the directives $patch, $deleteFromPrimitiveList, $setElementOrder and $retainKeys.
// What kubectl apply, label, annotate, edit and scale send. Refusals as in json_patch.h.
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"

namespace gs::localcluster {

struct PatchType;

[[nodiscard]] Result<boost::json::value> ApplyStrategicMergePatch(boost::json::value document,
                                                                  const boost::json::value& patch,
                                                                  const PatchType& type);

}  // namespace gs::localcluster
