#include "adapters/kube/objects/pod_ties.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gs::kube {
namespace {

void AddHostPorts(const JsonView& container, std::vector<model::HostPort>& ports) {
  for (const JsonView& item : container.Field("ports").Items()) {
    const std::int64_t number = item.Field("hostPort").Int(kInt32Range, 0);
    if (number <= 0) continue;
    model::HostPort& port = ports.emplace_back();
    port.port = static_cast<std::int32_t>(number);
    if (std::string ip = item.Field("hostIP").Text(); !ip.empty()) port.ip = std::move(ip);
    if (std::string name = item.Field("protocol").Text(); !name.empty()) {
      port.protocol = std::move(name);
    }
  }
}

std::vector<model::HostPort> ReadHostPorts(const JsonView& spec) {
  std::vector<model::HostPort> ports;
  // Of these only sidecars run as long as the pod.
  for (const JsonView& container : spec.Field("initContainers").Items()) {
    if (container.Field("restartPolicy").Word() == "Always") AddHostPorts(container, ports);
  }
  for (const JsonView& container : spec.Field("containers").Items()) AddHostPorts(container, ports);
  return ports;
}

}  // namespace

model::PodTies ReadPodTies(const JsonView& spec, const PodIdentity& pod) {
  model::PodTies ties;
  ties.host_ports = ReadHostPorts(spec);
  auto terms = ReadPodAffinity(spec.Field("affinity").Field("podAntiAffinity"), pod);
  if (terms) ties.anti_affinity = *std::move(terms);
  return ties;
}

}  // namespace gs::kube
