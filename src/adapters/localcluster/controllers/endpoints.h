// The Endpoints of a Service: the addresses of the pods it selects, those that are ready apart from
// those that are not.
#pragma once

#include <vector>

#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {

// `pods` are those of the Service's namespace; `endpoints` is what is there under its name, or
// null. A Service without a selector is left to whoever fills its Endpoints in.
[[nodiscard]] Reconciled ReconcileEndpoints(const Json& service, const std::vector<Json>& pods,
                                            const Json* endpoints);

}  // namespace gs::localcluster
