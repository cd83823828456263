// What a cluster says about itself, from its API objects: which cloud it runs on, and which machine
// sets it has.
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/machinesets/plan.h"

namespace gs::machinesets {

// Infrastructure/cluster. Refuses clouds whose sets cannot be made here, with the reason.
[[nodiscard]] Result<Cluster> ReadInfrastructure(const boost::json::value& object);

// The zone is read from the provider's part, never from a name.
[[nodiscard]] PresentSet ReadMachineSet(Platform platform, const boost::json::value& object);

// The objects of a cluster that sets are made from.
struct ClusterObjects {
  Cluster cluster;
  std::map<std::string, boost::json::value> machine_sets;  // by name
  std::vector<PresentSet> present;                         // the same, in that order
};

// Refuses a platform, or two Infrastructures.
[[nodiscard]] Result<ClusterObjects> ReadClusterObjects(
    const boost::json::value& infrastructure, std::vector<boost::json::value> machine_sets);

// The same from all *.yaml, *.yml and *.json files of a folder, Lists included; other kinds are
// passed over.
[[nodiscard]] Result<ClusterObjects> ReadClusterFolder(const std::string& folder);

}  // namespace gs::machinesets
