// The scale subresource: how many replicas a workload has, in one shape for all of them.
#pragma once

#include <boost/json/object.hpp>

#include "adapters/localcluster/store/objects.h"

namespace gs::localcluster {

// An autoscaling/v1 Scale of a Deployment, ReplicaSet or StatefulSet.
[[nodiscard]] boost::json::object ScaleOf(const boost::json::object& workload);
// Takes the replicas, and the resourceVersion where there is one, over into the workload.
[[nodiscard]] Verdict ApplyScale(const boost::json::object& scale, boost::json::object& workload);

}  // namespace gs::localcluster
