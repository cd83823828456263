#include "adapters/localcluster/controllers/endpoints.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"

namespace gs::localcluster {
namespace {

bool IsSelected(const Json& service, const Json& pod) {
  const auto& selector = Members(service, {"spec", "selector"});
  return std::all_of(selector.begin(), selector.end(), [&](const auto& label) {
    return LabelOf(pod, label.key()) == Text(label.value(), {});
  });
}

// The number a port of a Service means in a pod; 0 if no container has a port of that name.
std::int64_t TargetPort(const Json& port, const Json& pod) {
  const Json* target = Find(port, {"targetPort"});
  if (target == nullptr) return Int(port, {"port"});
  if (const auto number = MaybeInt(*target, {})) return *number;
  for (const Json& container : Items(pod, {"spec", "containers"})) {
    for (const Json& named : Items(container, {"ports"})) {
      const bool is_it = Text(named, {"name"}) == Text(*target, {}) &&
                         Text(named, {"protocol"}, "TCP") == Text(port, {"protocol"}, "TCP");
      if (is_it) return Int(named, {"containerPort"});
    }
  }
  return 0;
}

boost::json::array PortsOf(const Json& service, const Json& pod) {
  boost::json::array ports;
  for (const Json& port : Items(service, {"spec", "ports"})) {
    const std::int64_t number = TargetPort(port, pod);
    if (number == 0) continue;
    boost::json::object entry;
    if (Find(port, {"name"}) != nullptr) entry["name"] = Text(port, {"name"});
    entry["port"] = number;
    entry["protocol"] = Text(port, {"protocol"}, "TCP");
    ports.push_back(std::move(entry));
  }
  return ports;
}

Json AddressOf(const Json& pod) {
  boost::json::object address{{"ip", Text(pod, {"status", "podIP"})}};
  const auto host = Text(pod, {"spec", "hostname"});
  if (!host.empty() && !Text(pod, {"spec", "subdomain"}).empty()) address["hostname"] = host;
  address["nodeName"] = Text(pod, {"spec", "nodeName"});
  address["targetRef"] = {
      {"kind", "Pod"}, {"namespace", NamespaceOf(pod)}, {"name", NameOf(pod)}, {"uid", UidOf(pod)}};
  return address;
}

// Pods with the same ports share a subset; addresses are in order, so that the same pods always
// give the same object.
boost::json::array SubsetsOf(const Json& service, std::vector<Json> pods) {
  std::sort(pods.begin(), pods.end(), [](const Json& a, const Json& b) {
    return Text(a, {"status", "podIP"}) < Text(b, {"status", "podIP"});
  });
  boost::json::array subsets;
  for (const Json& pod : pods) {
    const boost::json::array ports = PortsOf(service, pod);
    auto same = std::find_if(subsets.begin(), subsets.end(),
                             [&](const Json& subset) { return Items(subset, {"ports"}) == ports; });
    if (same == subsets.end()) {
      same = subsets.insert(subsets.end(), boost::json::object{{"ports", ports}});
    }
    const bool is_ready = IsReady(pod) || Bool(service, {"spec", "publishNotReadyAddresses"});
    MakeArray(same->get_object(), is_ready ? "addresses" : "notReadyAddresses")
        .push_back(AddressOf(pod));
  }
  return subsets;
}

}  // namespace

Reconciled ReconcileEndpoints(const Json& service, const std::vector<Json>& pods,
                              const Json* endpoints) {
  Reconciled reconciled;
  if (Members(service, {"spec", "selector"}).empty() || IsBeingDeleted(service)) return reconciled;
  std::vector<Json> selected;
  std::copy_if(pods.begin(), pods.end(), std::back_inserter(selected), [&](const Json& pod) {
    return IsActive(pod) && !Text(pod, {"status", "podIP"}).empty() && IsSelected(service, pod);
  });
  boost::json::array subsets = SubsetsOf(service, std::move(selected));
  Json wanted{{"apiVersion", "v1"}, {"kind", "Endpoints"}};
  if (endpoints != nullptr) wanted = *endpoints;
  Make(wanted, {"metadata"})["name"] = NameOf(service);
  Make(wanted, {"metadata"})["namespace"] = NamespaceOf(service);
  Json labels = Members(service, {"metadata", "labels"});
  Make(labels, {})["endpoints.kubernetes.io/managed-by"] = "endpoint-controller";
  Make(wanted, {"metadata"})["labels"] = std::move(labels);
  if (subsets.empty()) {
    Make(wanted, {}).erase("subsets");
  } else {
    Make(wanted, {})["subsets"] = std::move(subsets);
  }
  if (endpoints == nullptr) {
    reconciled.writes.push_back(Create(std::move(wanted)));
  } else if (wanted != *endpoints) {
    reconciled.writes.push_back(Update(std::move(wanted)));
  }
  return reconciled;
}

}  // namespace gs::localcluster
