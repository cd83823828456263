// Eviction: a deletion of a pod that asks the disruption budgets first, with the real server's
// refusals.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "adapters/localcluster/store/objects.h"

namespace gs::localcluster {

// Takes one disruption off the budget before the pod goes, so that two evictions cannot share one.
// A pod that does not run, or is not ready while the budget is met, goes without asking.
[[nodiscard]] Verdict EvictPod(Objects& objects, const std::string& ns, const std::string& pod,
                               const boost::json::object& eviction, const User& user);

}  // namespace gs::localcluster
