#include "adapters/localcluster/rules/service_rules.h"

#include <boost/json/array.hpp>
#include <set>
#include <string>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/store/object_text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

// 10.96.0.0/16, as kubeadm has it; the first address is the API's own.
constexpr unsigned kFirstAddress = 10;
constexpr unsigned kAddresses = 65000;
constexpr int kFirstNodePort = 30000;
constexpr int kLastNodePort = 32767;

std::string FreeAddress(const Store& store) {
  std::set<std::string, std::less<>> taken;
  for (const auto& service : store.List("services").objects) {
    if (!service->fields.empty()) taken.insert(service->fields[0]);
  }
  for (unsigned i = kFirstAddress; i < kAddresses; ++i) {
    auto address = "10.96." + std::to_string(i / 256) + "." + std::to_string(i % 256);
    if (!taken.contains(address)) return address;
  }
  return "None";
}

std::set<std::int64_t> TakenNodePorts(const Store& store) {
  std::set<std::int64_t> taken;
  for (const auto& service : store.List("services").objects) {
    const auto object = ParseStored(service->text);
    const auto* ports = FindArray(object, {"spec", "ports"});
    if (ports == nullptr) continue;
    for (const auto& port : *ports) {
      if (!port.is_object()) continue;
      if (const auto number = MaybeInt(port.get_object(), {"nodePort"})) taken.insert(*number);
    }
  }
  return taken;
}

void DefaultPorts(const Store& store, json::object& spec, bool has_node_ports) {
  auto* ports = FindArray(spec, {"ports"});
  if (ports == nullptr) return;
  std::set<std::int64_t> taken;
  if (has_node_ports) taken = TakenNodePorts(store);
  for (auto& value : *ports) {
    if (!value.is_object()) continue;
    auto& port = value.get_object();
    SetDefault(port, "protocol", "TCP");
    if (const auto* number = Find(port, {"port"})) {
      const json::value copy = *number;
      SetDefault(port, "targetPort", copy);
    }
    if (!has_node_ports || MaybeInt(port, {"nodePort"})) continue;
    for (int candidate = kFirstNodePort; candidate <= kLastNodePort; ++candidate) {
      if (!taken.insert(candidate).second) continue;
      port["nodePort"] = candidate;
      break;
    }
  }
}

void DefaultAddress(const Store& store, const json::object* old, json::object& spec) {
  const auto before = old == nullptr ? std::string_view() : Text(*old, {"spec", "clusterIP"});
  if (Text(spec, {"clusterIP"}).empty()) {
    spec["clusterIP"] = before.empty() ? FreeAddress(store) : std::string(before);
  }
  spec["clusterIPs"] = json::array{json::string(Text(spec, {"clusterIP"}))};
  SetDefault(spec, "internalTrafficPolicy", "Cluster");
  SetDefault(spec, "ipFamilies", json::array{"IPv4"});
  SetDefault(spec, "ipFamilyPolicy", "SingleStack");
}

}  // namespace

void DefaultService(const Store& store, const json::object* old, json::object& service) {
  auto& spec = Make(service, {"spec"});
  SetDefault(spec, "type", "ClusterIP");
  SetDefault(spec, "sessionAffinity", "None");
  const auto type = std::string(Text(spec, {"type"}));
  const bool has_node_ports = type == "NodePort" || type == "LoadBalancer";
  if (has_node_ports) SetDefault(spec, "externalTrafficPolicy", "Cluster");
  if (type == "LoadBalancer") SetDefault(spec, "allocateLoadBalancerNodePorts", true);
  DefaultPorts(store, spec, has_node_ports);
  if (type != "ExternalName") DefaultAddress(store, old, spec);
  if (old == nullptr) service["status"] = json::object{{"loadBalancer", json::object()}};
}

void CheckService(const json::object* old, const json::object& service, Faults& faults) {
  const auto* spec = FindObject(service, {"spec"});
  if (spec == nullptr) return;
  const auto type = Text(*spec, {"type"});
  if (type != "ClusterIP" && type != "NodePort" && type != "LoadBalancer" &&
      type != "ExternalName") {
    faults.Unsupported("spec.type", type,
                       {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
  }
  const bool is_headless = Text(*spec, {"clusterIP"}) == "None";
  const auto* ports = FindArray(*spec, {"ports"});
  if ((ports == nullptr || ports->empty()) && !is_headless && type != "ExternalName") {
    faults.Required("spec.ports");
  }
  const std::size_t count = ports == nullptr ? 0 : ports->size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto* port = (*ports)[i].if_object();
    if (port == nullptr) continue;
    const auto field = "spec.ports[" + std::to_string(i) + "]";
    if (count > 1 && Text(*port, {"name"}).empty()) faults.Required(field + ".name");
    const auto number = Int(*port, {"port"});
    if (number < 1 || number > 65535) {
      faults.Invalid(field + ".port", number, "must be between 1 and 65535, inclusive");
    }
  }
  if (old == nullptr || type == "ExternalName") return;
  const auto before = Text(*old, {"spec", "clusterIP"});
  if (!before.empty() && before != Text(*spec, {"clusterIP"})) {
    faults.Invalid("spec.clusterIPs[0]", json::array{json::string(Text(*spec, {"clusterIP"}))},
                   "may not change once set");
  }
}

}  // namespace gs::localcluster
