// The API objects of a plan: MachineSets, what lets them grow and shrink, and the one
// ClusterAutoscaler that does it.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/machinesets/plan.h"

namespace gs::machinesets {

inline constexpr std::string_view kNamespace = "openshift-machine-api";

// Built anew from the fields that are known here; only the provider's part comes from `worker`, the
// set that the plan is based on. Has spec.replicas: see KeepWhatOthersOwn.
[[nodiscard]] boost::json::object MakeMachineSet(const Cluster& cluster, const PlannedSet& set,
                                                 const boost::json::value& worker);

// Requires: set.autoscale.
[[nodiscard]] boost::json::object MakeMachineAutoscaler(const PlannedSet& set);

// With a limit for every accelerator that an autoscaled set has. Empty where no set is autoscaled.
[[nodiscard]] std::optional<boost::json::object> MakeClusterAutoscaler(
    const std::vector<PlannedSet>& plan);

// The accelerators of autoscaled sets that a ClusterAutoscaler has no limit for: their nodes are
// not scaled by GPUs.
[[nodiscard]] std::vector<std::string> MissingGpuLimits(const boost::json::value& autoscaler,
                                                        const std::vector<PlannedSet>& plan);

// Turns a document for creating an object into one for applying it over `live`: replicas stay as
// they are, whoever set them, and so do capacities that somebody else has written. Names the
// version it was made for, so that a change in between is noticed.
void KeepWhatOthersOwn(const boost::json::value& live, std::string_view manager,
                       boost::json::object& document);

}  // namespace gs::machinesets
