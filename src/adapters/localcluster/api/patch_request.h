// A PATCH as an edit of an object: which kind of patch the content type names, and what a patch
// that does not fit is answered with.
#pragma once

#include "adapters/localcluster/api/request.h"
#include "adapters/localcluster/store/objects.h"

namespace gs::localcluster {

// Works on the object as the request sees it.
using PatchEdit = std::function<Answer<boost::json::object>(boost::json::object)>;

[[nodiscard]] Answer<PatchEdit> ReadPatch(const Kind& kind, const ApiRequest& request);

}  // namespace gs::localcluster
