// Deployments, ReplicaSets, StatefulSets, DaemonSets and Jobs: what is filled in, and what is
// refused.
#pragma once

#include <boost/json/object.hpp>

#include "adapters/localcluster/rules/faults.h"

namespace gs::localcluster {

[[nodiscard]] bool IsWorkload(const Kind& kind);
// `old` is null for a create.
void DefaultWorkload(const Kind& kind, const boost::json::object* old,
                     boost::json::object& workload);
void CheckWorkload(const Kind& kind, const boost::json::object* old,
                   const boost::json::object& workload, Faults& faults);

}  // namespace gs::localcluster
