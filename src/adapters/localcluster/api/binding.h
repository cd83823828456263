// Binding: the one write that puts a pod on a node, with the real server's preconditions and
// refusals.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "adapters/localcluster/store/objects.h"

namespace gs::localcluster {

// Refused unless uid and resourceVersion, where the Binding has them, are the pod's, and the pod is
// unassigned and not being deleted. Annotations and labels of the Binding are laid over the pod's.
[[nodiscard]] Verdict BindPod(Objects& objects, const std::string& ns, const std::string& pod,
                              const boost::json::object& binding, bool is_dry_run);

}  // namespace gs::localcluster
