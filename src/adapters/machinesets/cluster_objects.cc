#include "adapters/machinesets/cluster_objects.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <optional>
#include <utility>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/machinesets/provider_spec.h"
#include "base/text.h"

namespace gs::machinesets {
namespace {

using localcluster::Json;

constexpr std::string_view kClusterLabel = "machine.openshift.io/cluster-api-cluster";
constexpr std::string_view kSystemLabel = "machine.openshift.io/os-id";
constexpr std::string_view kRoleLabel = "machine.openshift.io/cluster-api-machine-role";

Error RefusePlatform(std::string_view type) {
  const Error refusal(ErrorKind::kUnsupported, "this cluster runs on " + std::string(type));
  if (type == "VSphere") {
    return Error(refusal).Advise(
        "a MachineSet of vSphere cannot ask for GPUs: they are in the virtual machine template, so "
        "copy a worker set by hand and name a template that has them");
  }
  return Error(refusal).Advise("GPU sets can be made on AWS, Azure and GCP");
}

std::optional<Platform> PlatformOf(std::string_view type) {
  for (const Platform platform : {Platform::kAws, Platform::kAzure, Platform::kGcp}) {
    if (type == ToString(platform)) return platform;
  }
  return std::nullopt;
}

// Older clusters have only the second field.
std::string_view PlatformName(const Json& object) {
  const auto type = localcluster::Text(object, {"status", "platformStatus", "type"});
  return type.empty() ? localcluster::Text(object, {"status", "platform"}) : type;
}

bool HasAccelerator(const Json& set) {
  const auto& labels =
      localcluster::Members(set, {"spec", "template", "spec", "metadata", "labels"});
  return std::any_of(labels.begin(), labels.end(), [](const auto& label) {
    const std::string_view key(label.key().data(), label.key().size());
    return key == "cluster-api/accelerator" || key == "node-role.kubernetes.io/gpu" ||
           key.starts_with("nvidia.com/gpu") || key.starts_with("amd.com/gpu");
  });
}

// Only machines need the label, but people put it on sets as well.
bool IsWindows(const Json& set) {
  const auto of_machines =
      localcluster::Text(set, {"spec", "template", "metadata", "labels", kSystemLabel});
  return of_machines == "Windows" || localcluster::LabelOf(set, kSystemLabel) == "Windows";
}

Arch ArchOf(const Json& set) {
  const auto words = localcluster::AnnotationOf(set, kCapacityLabels);
  for (const std::string_view word : text::Split(words, ',')) {
    if (text::Trim(word) == "kubernetes.io/arch=arm64") return Arch::kArm64;
  }
  return Arch::kAmd64;
}

}  // namespace

Result<Cluster> ReadInfrastructure(const Json& object) {
  const std::string_view type = PlatformName(object);
  Cluster cluster;
  cluster.infrastructure = localcluster::Text(object, {"status", "infrastructureName"});
  if (cluster.infrastructure.empty() || type.empty()) {
    return Error(ErrorKind::kInvalid,
                 "Infrastructure cluster has no status.infrastructureName or platformStatus.type");
  }
  const auto platform = PlatformOf(type);
  if (!platform) return RefusePlatform(type);
  cluster.platform = *platform;
  cluster.region =
      localcluster::Text(object, {"status", "platformStatus", text::ToLower(type), "region"});
  return cluster;
}

PresentSet ReadMachineSet(Platform platform, const Json& object) {
  PresentSet set;
  set.name = localcluster::NameOf(object);
  set.infrastructure = localcluster::LabelOf(object, kClusterLabel);
  set.role = localcluster::Text(object, {"spec", "template", "metadata", "labels", kRoleLabel});
  set.zone = ZoneOf(platform, ProviderSpecOf(object));
  set.replicas = localcluster::Int(object, {"spec", "replicas"}, 1);
  set.arch = ArchOf(object);
  set.has_accelerator = HasAccelerator(object);
  set.is_windows = IsWindows(object);
  set.is_ours = localcluster::LabelOf(object, kOwnLabel) == kOwnLabelValue;
  const auto by_spec = localcluster::Text(object, {"spec", "authoritativeAPI"});
  const auto by_status = localcluster::Text(object, {"status", "authoritativeAPI"}, by_spec);
  set.is_cluster_api = by_spec == "ClusterAPI" || by_status == "ClusterAPI";
  return set;
}

Result<ClusterObjects> ReadClusterObjects(const Json& infrastructure,
                                          std::vector<Json> machine_sets) {
  auto cluster = ReadInfrastructure(infrastructure);
  if (!cluster) return std::move(cluster).error();
  ClusterObjects objects;
  objects.cluster = *std::move(cluster);
  for (Json& set : machine_sets) {
    objects.machine_sets[std::string(localcluster::NameOf(set))] = std::move(set);
  }
  for (const auto& [name, set] : objects.machine_sets) {
    objects.present.push_back(ReadMachineSet(objects.cluster.platform, set));
  }
  return objects;
}

}  // namespace gs::machinesets
