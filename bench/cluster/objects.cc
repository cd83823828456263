#include "objects.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstdint>

namespace gs::bench {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::serialize;

constexpr const char* kResource = "nvidia.com/gpu";
constexpr const char* kDriver = "gpu.bench.example";

std::string DeviceName(int gpu) { return "gpu-" + std::to_string(gpu); }

object Labelled(std::string_view prefix, int number) {
  return {{"name", PodName(prefix, number)},
          {"namespace", kNamespace},
          {"labels", object{{"bench", prefix}, {"apps.kubernetes.io/pod-index", "0"}}}};
}

// In the form of NVIDIA's.
std::string UuidOf(int gpu) {
  constexpr std::int64_t kTwelveDigits = 100'000'000'000;
  return "GPU-8f2d6c1e-3b7a-4c59-9e04-" + std::to_string(kTwelveDigits + gpu);
}

// All to all over NVSwitch, as in the machines people buy with eight GPUs.
array LinksFrom(int gpu) {
  array links;
  for (int peer = gpu + 1; peer < kGpusPerNode; ++peer) {
    links.push_back(
        object{{"peer", peer}, {"type", "NVSwitch"}, {"count", 12}, {"bandwidthGBps", 600}});
  }
  return links;
}

std::string MapText(const Place& place, int gpus) {
  std::string ids;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    ids += (gpu == 0 ? "" : ",") + std::to_string(place.first_gpu + gpu);
  }
  return "0=" + NodeName(place.node) + ":" + ids;
}

}  // namespace

std::string NodeName(int number) { return "node-" + std::to_string(number); }

std::string NodeJson(int number) {
  const std::string name = NodeName(number);
  const object room{{"cpu", "192"},
                    {"memory", "2Ti"},
                    {"pods", "250"},
                    {kResource, std::to_string(kGpusPerNode)}};
  const object labels{{"kubernetes.io/hostname", name},
                      {"kubernetes.io/os", "linux"},
                      {"kubernetes.io/arch", "amd64"},
                      {"topology.kubernetes.io/zone", "zone-" + std::to_string(number % 3)}};
  return serialize(object{
      {"metadata", object{{"name", name}, {"labels", labels}}},
      {"status", object{{"capacity", room},
                        {"allocatable", room},
                        {"conditions", array{object{{"type", "Ready"}, {"status", "True"}}}},
                        {"addresses", array{object{{"type", "Hostname"}, {"address", name}}}}}}});
}

std::string ReportJson(int number) {
  return serialize(object{{"apiVersion", "gpu.scheduling/v1"},
                          {"kind", "GpuNodeStatus"},
                          {"metadata", object{{"name", NodeName(number)}}},
                          {"spec", object{{"nodeName", NodeName(number)}}}});
}

std::string ReportStatusJson(int number) {
  array devices;
  for (int gpu = 0; gpu < kGpusPerNode; ++gpu) {
    devices.push_back(object{{"id", gpu},
                             {"uuid", UuidOf(number * kGpusPerNode + gpu)},
                             {"model", "NVIDIA H100 80GB HBM3"},
                             {"memoryMiB", 81559},
                             {"numaNode", gpu * 2 / kGpusPerNode},
                             {"health", "Healthy"},
                             {"links", LinksFrom(gpu)}});
  }
  return serialize(object{{"status", object{{"total", kGpusPerNode},
                                            {"observedAt", "2026-01-01T00:00:00Z"},
                                            {"devices", devices}}}});
}

std::string SliceJson(int number) {
  array devices;
  for (int gpu = 0; gpu < kGpusPerNode; ++gpu) {
    devices.push_back(object{{"name", DeviceName(gpu)}});
  }
  const std::string name = NodeName(number);
  const object pool{{"name", name}, {"generation", 1}, {"resourceSliceCount", 1}};
  return serialize(object{
      {"apiVersion", "resource.k8s.io/v1"},
      {"kind", "ResourceSlice"},
      {"metadata", object{{"name", name}}},
      {"spec",
       object{{"driver", kDriver}, {"nodeName", name}, {"pool", pool}, {"devices", devices}}}});
}

Place PlaceOf(int pod, int gpus) {
  const int per_node = gpus == 0 ? kGpusPerNode : kGpusPerNode / gpus;
  return {.node = pod / per_node, .first_gpu = pod % per_node * gpus};
}

std::string PodName(std::string_view prefix, int number) {
  return std::string(prefix) + "-" + std::to_string(number);
}

std::string PodJson(std::string_view prefix, int number, const PodAsk& ask) {
  const std::string name = PodName(prefix, number);
  object metadata = Labelled(prefix, number);
  object resources{{"requests", object{{"cpu", "100m"}, {"memory", "128Mi"}}}};
  object spec{{"schedulerName", ask.scheduler}, {"automountServiceAccountToken", false}};
  switch (ask.shape) {
    case Shape::kCounted:
      if (ask.gpus > 0) resources["limits"] = object{{kResource, std::to_string(ask.gpus)}};
      break;
    case Shape::kClaim: metadata["annotations"] = object{{"gpu.scheduling/claim", name}}; break;
    case Shape::kMap:
      metadata["annotations"] =
          object{{"gpu-scheduling-map", MapText(PlaceOf(number, ask.gpus), ask.gpus)}};
      break;
    case Shape::kDevices:
      spec["resourceClaims"] = array{object{{"name", "gpus"}, {"resourceClaimName", name}}};
      resources["claims"] = array{object{{"name", "gpus"}}};
      break;
  }
  spec["containers"] = array{object{{"name", "main"}, {"image", "none"}, {"resources", resources}}};
  return serialize(object{{"metadata", metadata}, {"spec", spec}});
}

std::string BoundPodJson(std::string_view prefix, int number, int node) {
  const object resources{{"requests", object{{"cpu", "100m"}, {"memory", "128Mi"}}}};
  const object container{{"name", "main"}, {"image", "none"}, {"resources", resources}};
  return serialize(object{{"metadata", Labelled(prefix, number)},
                          {"spec", object{{"nodeName", NodeName(node)},
                                          {"automountServiceAccountToken", false},
                                          {"containers", array{container}}}}});
}

std::string GpuClaimJson(std::string_view prefix, int number, int gpus) {
  return serialize(object{{"apiVersion", "gpu.scheduling/v1"},
                          {"kind", "GpuClaim"},
                          {"metadata", Labelled(prefix, number)},
                          {"spec", object{{"devices", object{{"count", gpus}}}}}});
}

std::string ResourceClaimJson(std::string_view prefix, int number, int gpus) {
  const object exactly{
      {"deviceClassName", kDriver}, {"allocationMode", "ExactCount"}, {"count", gpus}};
  const object request{{"name", "gpus"}, {"exactly", exactly}};
  return serialize(object{{"apiVersion", "resource.k8s.io/v1"},
                          {"kind", "ResourceClaim"},
                          {"metadata", Labelled(prefix, number)},
                          {"spec", object{{"devices", object{{"requests", array{request}}}}}}});
}

}  // namespace gs::bench
