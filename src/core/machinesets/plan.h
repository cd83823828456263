// Which machine sets there should be: settings and a cluster's own worker sets in, names and
// everything that does not depend on the cloud out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/machinesets/instance_type.h"
#include "core/machinesets/settings.h"

namespace gs::machinesets {

// Of a machine set: what labels the autoscaler may expect of nodes that are not there yet.
inline constexpr std::string_view kCapacityLabels =
    "capacity.cluster-autoscaler.kubernetes.io/labels";

struct Cluster {
  std::string infrastructure;  // "cluster-zpqdx-xxm9n": every name begins with it
  Platform platform = Platform::kAws;
  std::string region;  // empty where the cluster does not say

  friend bool operator==(const Cluster&, const Cluster&) = default;
};

// A machine set that is there.
struct PresentSet {
  std::string name;
  std::string infrastructure;  // whose it is
  std::string role;            // "worker", "edge", "infra"
  std::string zone;            // of its provider's part; empty in regions without zones
  std::int64_t replicas = 0;
  Arch arch = Arch::kAmd64;
  bool has_accelerator = false;  // its nodes are labelled as GPU nodes
  bool is_windows = false;
  bool is_ours = false;
  bool is_cluster_api = false;  // managed through Cluster API, so that changes here are ignored

  friend bool operator==(const PresentSet&, const PresentSet&) = default;
};

struct PlannedSet {
  std::string name;
  std::string based_on;  // the worker set that everything else is inherited from
  std::string role;      // that of the worker set
  std::string zone;
  std::string type;  // as the provider's API wants it
  int gpus = 0;
  Vendor vendor = Vendor::kNvidia;
  int replicas = 1;  // when it is made; later they are somebody else's business
  std::optional<Spot> spot;
  std::optional<Autoscale> autoscale;
  std::optional<Attached> attached;
  std::int64_t disk_gib = 0;
  std::string accelerator;                        // empty: no label
  std::map<std::string, std::string> labels;      // of the nodes, the accelerator's included
  std::vector<model::Taint> taints;               // of the nodes
  std::map<std::string, std::string> capacities;  // annotations that let it grow from no machine
  std::string note;                               // what users should hear; empty: nothing
};

// In the order of the settings, then of the zones. Refuses what cannot work: a type that this cloud
// does not have, a zone without workers, workers that Cluster API manages, two sets of one name.
[[nodiscard]] Result<std::vector<PlannedSet>> Plan(const Cluster& cluster,
                                                   const std::vector<PresentSet>& present,
                                                   const Settings& settings);

}  // namespace gs::machinesets
