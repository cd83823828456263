// What an API server fills into a pod, and what it refuses of one. Templates of workloads are pods
// to be, with fewer things filled in.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "adapters/localcluster/rules/faults.h"
#include "adapters/localcluster/store/object_names.h"
#include "adapters/localcluster/store/store.h"

namespace gs::localcluster {

// What templates get as well.
void DefaultPodSpec(boost::json::object& spec);
// What admission adds to a pod that is created: priority, service account, tolerations, the first
// status. Refused: a priority class that is not there.
[[nodiscard]] Verdict AdmitNewPod(const Store& store, ObjectNames& names, boost::json::object& pod);

void CheckPodSpec(const boost::json::object& spec, const std::string& field, Faults& faults);
// Almost nothing of a pod can be changed.
void CheckPodUpdate(const boost::json::object& old, const boost::json::object& pod, Faults& faults);

// Guaranteed, Burstable or BestEffort.
[[nodiscard]] std::string QosClassOf(const boost::json::object& spec);

}  // namespace gs::localcluster
