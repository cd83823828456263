#include "programs/machinesets/verify.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <iterator>
#include <ostream>
#include <utility>

#include "adapters/localcluster/objects/conditions.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/machinesets/documents.h"
#include "base/parse.h"
#include "base/text.h"
#include "programs/machinesets/cluster_api.h"

namespace gs::machinesets {
namespace {

using localcluster::Json;
using Objects = std::vector<Json>;

bool HasLabel(const Json& object, std::string_view label) {
  return localcluster::Members(object, {"metadata", "labels"}).contains(label);
}

bool IsGpuNode(const Json& node) {
  return localcluster::LabelOf(node, "nvidia.com/gpu.present") == "true" ||
         localcluster::LabelOf(node, "amd.com/gpu.present") == "true" ||
         HasLabel(node, "node-role.kubernetes.io/gpu");
}

bool IsReady(const Json& node) {
  const Json* status = localcluster::Find(node, {"status"});
  return status != nullptr && localcluster::IsTrue(*status, "Ready");
}

bool OffersGpus(const Json& node) {
  for (const std::string_view resource : {"nvidia.com/gpu", "amd.com/gpu"}) {
    const auto count = ParseInt64(localcluster::Text(node, {"status", "allocatable", resource}));
    if (count && *count > 0) return true;
  }
  return false;
}

struct Machines {
  std::size_t sets = 0;
  std::int64_t wanted = 0;
  std::int64_t available = 0;
};

Machines CountMachines(const Objects& sets) {
  Machines machines;
  for (const Json& set : sets) {
    if (localcluster::LabelOf(set, kOwnLabel) != kOwnLabelValue) continue;
    ++machines.sets;
    machines.wanted += localcluster::Int(set, {"spec", "replicas"}, 1);
    machines.available += localcluster::Int(set, {"status", "availableReplicas"});
  }
  return machines;
}

// How many of the nodes pass, and the names of those that do not. None are fine where none is
// wanted: sets that grow from no machine begin so.
template <class Passes>
CheckedPoint AllOf(const Objects& nodes, const Machines& machines, std::string what,
                   Passes passes) {
  std::vector<std::string> wrong;
  for (const Json& node : nodes) {
    if (!passes(node)) wrong.emplace_back(localcluster::NameOf(node));
  }
  std::string found =
      std::to_string(nodes.size() - wrong.size()) + " of " + std::to_string(nodes.size());
  if (!wrong.empty()) {
    found += "; not " + text::Join(wrong, ", ", [](const std::string& name) { return name; });
  }
  const bool is_idle = machines.sets > 0 && machines.wanted == 0;
  if (nodes.empty() && is_idle) found += ", and none is wanted";
  return {(!nodes.empty() || is_idle) && wrong.empty(), std::move(what), std::move(found)};
}

CheckedPoint CheckSets(const Machines& machines) {
  return {machines.sets > 0 && machines.available >= machines.wanted,
          "machines of the GPU MachineSets available",
          std::to_string(machines.available) + " of " + std::to_string(machines.wanted) + " in " +
              std::to_string(machines.sets) + " sets"};
}

CheckedPoint CheckPolicy(const Objects& policies) {
  if (policies.empty()) return {false, "ClusterPolicy ready", "there is none"};
  const auto state = localcluster::Text(policies.front(), {"status", "state"}, "no state yet");
  return {state == "ready", "ClusterPolicy ready",
          std::string(localcluster::NameOf(policies.front())) + ": " + std::string(state)};
}

CheckedPoint CheckDiscovery(const Objects& discoveries) {
  if (discoveries.empty()) return {false, "NodeFeatureDiscovery available", "there is none"};
  const Json* status = localcluster::Find(discoveries.front(), {"status"});
  const bool is_available = status != nullptr && localcluster::IsTrue(*status, "Available");
  return {is_available, "NodeFeatureDiscovery available",
          std::string(localcluster::NameOf(discoveries.front())) +
              (is_available ? ": available" : ": not available")};
}

// Not to be there is a finding and no failure.
Result<Objects> ListIfServed(ClusterApi& api, const kube::Resource& resource, std::string_view ns) {
  auto listed = api.List(resource, ns);
  if (!listed && listed.error().kind() == ErrorKind::kNotFound) return Objects{};
  return listed;
}

Result<VerifiedObjects> ReadAll(ClusterApi& api) {
  VerifiedObjects objects;
  auto sets = api.List(kMachineSets, kNamespace);
  if (!sets) return std::move(sets).error();
  auto nodes = api.List(kube::kNodes, "");
  if (!nodes) return std::move(nodes).error();
  auto policies = ListIfServed(api, kClusterPolicies, "");
  if (!policies) return std::move(policies).error();
  auto discoveries = ListIfServed(api, kFeatureDiscoveries, "");
  if (!discoveries) return std::move(discoveries).error();
  return VerifiedObjects{*std::move(sets), *std::move(nodes), *std::move(policies),
                         *std::move(discoveries)};
}

}  // namespace

std::vector<CheckedPoint> VerifyObjects(const VerifiedObjects& objects) {
  Objects gpu_nodes;
  std::copy_if(objects.nodes.begin(), objects.nodes.end(), std::back_inserter(gpu_nodes),
               IsGpuNode);
  const Machines machines = CountMachines(objects.sets);
  return {
      CheckSets(machines),
      AllOf(gpu_nodes, machines, "GPU nodes Ready", IsReady),
      AllOf(gpu_nodes, machines, "GPU nodes labelled node-role.kubernetes.io/gpu",
            [](const Json& node) { return HasLabel(node, "node-role.kubernetes.io/gpu"); }),
      AllOf(gpu_nodes, machines, "GPU nodes offer GPUs", OffersGpus),
      CheckPolicy(objects.policies),
      CheckDiscovery(objects.discoveries),
  };
}

Result<bool> ShowVerification(const Options& options, std::string_view version, std::ostream& out) {
  auto api = ClusterApi::Connect(options.cluster, version, Writing::kDry);
  if (!api) return std::move(api).error();
  const auto objects = ReadAll(**api);
  if (!objects) return objects.error();
  bool is_fine = true;
  for (const CheckedPoint& point : VerifyObjects(*objects)) {
    out << (point.is_fine ? "\u2713 " : "\u2717 ") << point.what << ": " << point.found << "\n";
    is_fine = is_fine && point.is_fine;
  }
  return is_fine;
}

}  // namespace gs::machinesets
