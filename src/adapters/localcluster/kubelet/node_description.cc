#include "adapters/localcluster/kubelet/node_description.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "adapters/localcluster/objects/conditions.h"
#include "adapters/localcluster/objects/metadata.h"
#include "core/model/names.h"

namespace gs::localcluster {
namespace {

constexpr std::string_view kVersion = "v1.36.4";

boost::json::object Capacity(const NodeDescription& node) {
  boost::json::object capacity{{"cpu", node.cpu},
                               {"memory", node.memory},
                               {"ephemeral-storage", "100Gi"},
                               {"pods", std::to_string(node.pods)}};
  if (!node.machine.devices.empty()) {
    capacity[model::names::kGpuResource] = std::to_string(node.machine.devices.size());
  }
  return capacity;
}

// GPUs that are not healthy count in the capacity alone.
boost::json::object Allocatable(const NodeDescription& node) {
  boost::json::object allocatable = Capacity(node);
  if (node.machine.devices.empty()) return allocatable;
  std::size_t healthy = 0;
  for (const auto& device : node.machine.devices) {
    healthy += device.health == model::Health::kHealthy ? 1 : 0;
  }
  allocatable[model::names::kGpuResource] = std::to_string(healthy);
  return allocatable;
}

struct NodeCondition {
  std::string_view type;
  std::string_view status;
  const char* reason;
  const char* message;
};

constexpr std::array<NodeCondition, 4> kConditions{{
    {"MemoryPressure", "False", "KubeletHasSufficientMemory",
     "kubelet has sufficient memory available"},
    {"DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
    {"PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
    {"Ready", "True", "KubeletReady", "kubelet is posting ready status"},
}};

}  // namespace

Json NodeObject(const NodeDescription& node, TimePoint now) {
  Json object{{"apiVersion", "v1"}, {"kind", "Node"}};
  Make(object, {"metadata"})["name"] = node.name;
  auto& labels = Make(object, {"metadata", "labels"});
  labels["kubernetes.io/arch"] = "amd64";
  labels["kubernetes.io/os"] = "linux";
  labels["kubernetes.io/hostname"] = node.name;
  for (const auto& [name, value] : node.labels) labels[name] = value;
  auto& spec = Make(object, {"spec"});
  spec["podCIDR"] = node.pod_range + ".0/24";
  spec["podCIDRs"] = boost::json::array{Json(node.pod_range + ".0/24")};
  boost::json::array taints;
  for (const auto& taint : node.taints) {
    boost::json::object entry{{"key", taint.key}, {"effect", ToString(taint.effect)}};
    if (!taint.value.empty()) entry["value"] = taint.value;
    taints.push_back(std::move(entry));
  }
  if (!taints.empty()) spec["taints"] = std::move(taints);
  Make(object, {})["status"] = NodeStatusNow(node, object, now);
  return object;
}

Json NodeStatusNow(const NodeDescription& node, const Json& stored, TimePoint now) {
  Json status = Members(stored, {"status"});
  auto& fields = Make(status, {});
  fields["capacity"] = Capacity(node);
  fields["allocatable"] = Allocatable(node);
  for (const NodeCondition& each : kConditions) {
    SetCondition(status, {each.type, each.status, each.reason, each.message},
                 now)["lastHeartbeatTime"] = PrintTime(now);
  }
  fields["addresses"] =
      boost::json::array{boost::json::object{{"type", "InternalIP"}, {"address", node.address}},
                         boost::json::object{{"type", "Hostname"}, {"address", node.name}}};
  fields["daemonEndpoints"] = {{"kubeletEndpoint", {{"Port", 10250}}}};
  fields["nodeInfo"] = {{"machineID", node.name},     {"systemUUID", node.name},
                        {"bootID", node.name},        {"kernelVersion", "simulated"},
                        {"osImage", "gpu-local"},     {"containerRuntimeVersion", "gpu-local://1"},
                        {"kubeletVersion", kVersion}, {"kubeProxyVersion", ""},
                        {"operatingSystem", "linux"}, {"architecture", "amd64"}};
  return status;
}

Json HeartbeatLease(const NodeDescription& node, const Json* stored, TimePoint now) {
  Json lease{{"apiVersion", "coordination.k8s.io/v1"}, {"kind", "Lease"}};
  if (stored != nullptr) lease = *stored;
  Make(lease, {"metadata"})["name"] = node.name;
  Make(lease, {"metadata"})["namespace"] = "kube-node-lease";
  auto& spec = Make(lease, {"spec"});
  spec["holderIdentity"] = node.name;
  spec["leaseDurationSeconds"] = 40;
  spec["renewTime"] = PrintTime(now, TimeDetail::kMicros);
  return lease;
}

}  // namespace gs::localcluster
