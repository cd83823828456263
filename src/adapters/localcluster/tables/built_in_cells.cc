#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/tables/age.h"
#include "adapters/localcluster/tables/cells.h"
#include "base/quantity.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

std::string JoinedTexts(const array& texts) {
  return text::Join(texts, ",", [](const value& word) {
    return word.is_string() ? std::string(word.get_string()) : std::string();
  });
}

std::string ExternalAddress(const object& service) {
  const std::string listed = JoinedTexts(Items(service, {"spec", "externalIPs"}));
  const auto type = Text(service, {"spec", "type"});
  if (type == "ExternalName") return std::string(Text(service, {"spec", "externalName"}));
  if (type == "ClusterIP" || type == "NodePort") return TextOr(listed, "<none>");
  if (type != "LoadBalancer") return "<unknown>";
  std::set<std::string> given;
  for (const auto& item : Items(service, {"status", "loadBalancer", "ingress"})) {
    const auto ip = Text(item, {"ip"});
    given.insert(TextOr(ip, Text(item, {"hostname"})));
  }
  std::string all = text::Join(given, ",", [](const std::string& address) { return address; });
  if (!all.empty() && !listed.empty()) all += ",";
  return TextOr(all + listed, "<pending>");
}

std::string PrintPort(const value& item) {
  const object& port = Members(item, {});
  const std::int64_t node_port = Int(port, {"nodePort"});
  return std::to_string(Int(port, {"port"})) +
         (node_port > 0 ? ":" + std::to_string(node_port) : "") + "/" +
         std::string(Text(port, {"protocol"}));
}

array ServiceCells(const object& service, TimePoint now) {
  const auto& addresses = Items(service, {"spec", "clusterIPs"});
  const bool has_address = !addresses.empty() && addresses.front().is_string();
  return {NameOf(service),
          Text(service, {"spec", "type"}),
          has_address ? std::string(addresses.front().get_string()) : std::string("<none>"),
          ExternalAddress(service),
          TextOr(text::Join(Items(service, {"spec", "ports"}), ",", PrintPort), "<none>"),
          AgeOf(service, now),
          PrintLabels(service, {"spec", "selector"})};
}

std::vector<std::string> AddressesOf(const object& subset) {
  std::vector<std::string> addresses;
  for (const auto& address : Items(subset, {"addresses"})) {
    addresses.emplace_back(Text(Members(address, {}), {"ip"}));
  }
  return addresses;
}

std::string WithPort(const std::string& ip, const object& port) {
  const bool is_v6 = ip.find(':') != std::string::npos;
  return (is_v6 ? "[" + ip + "]" : ip) + ":" + std::to_string(Int(port, {"port"}));
}

// Every address at every port, or the addresses alone.
void AddEndpoints(const object& subset, std::vector<std::string>& all) {
  const auto addresses = AddressesOf(subset);
  const auto& ports = Items(subset, {"ports"});
  if (ports.empty()) all.insert(all.end(), addresses.begin(), addresses.end());
  for (const auto& port : ports) {
    for (const auto& ip : addresses) all.push_back(WithPort(ip, Members(port, {})));
  }
}

std::string PrintEndpoints(const object& endpoints) {
  constexpr std::size_t kMost = 3;
  const auto& subsets = Items(endpoints, {"subsets"});
  if (subsets.empty()) return "<none>";
  std::vector<std::string> all;
  for (const auto& subset : subsets) AddEndpoints(Members(subset, {}), all);
  const std::size_t rest = all.size() > kMost ? all.size() - kMost : 0;
  all.resize(all.size() - rest);
  const std::string shown = text::Join(all, ",", [](const std::string& one) { return one; });
  return rest == 0 ? shown : shown + " + " + std::to_string(rest) + " more...";
}

array EndpointsCells(const object& endpoints, TimePoint now) {
  return {NameOf(endpoints), PrintEndpoints(endpoints), AgeOf(endpoints, now)};
}

array EventCells(const object& event, TimePoint now) {
  const auto since = [&](Path path) { return AgeSince(Text(event, path), now); };
  const bool has_first = !Text(event, {"firstTimestamp"}).empty();
  const std::string first = has_first ? since({"firstTimestamp"}) : since({"eventTime"});
  std::string last = Text(event, {"lastTimestamp"}).empty() ? first : since({"lastTimestamp"});
  std::int64_t count = std::max<std::int64_t>(Int(event, {"count"}), 1);
  if (FindObject(event, {"series"}) != nullptr) {
    last = since({"series", "lastObservedTime"});
    count = Int(event, {"series", "count"});
  }
  std::string target = text::ToLower(Text(event, {"involvedObject", "kind"}));
  const auto name = Text(event, {"involvedObject", "name"});
  if (!name.empty()) target += "/" + std::string(name);
  std::string source =
      TextOr(Text(event, {"source", "component"}), Text(event, {"reportingComponent"}));
  const auto host = TextOr(Text(event, {"source", "host"}), Text(event, {"reportingInstance"}));
  if (!host.empty()) source += ", " + host;
  return {last,
          Text(event, {"type"}),
          Text(event, {"reason"}),
          target,
          Text(event, {"involvedObject", "fieldPath"}),
          source,
          std::string(text::Trim(Text(event, {"message"}))),
          first,
          count,
          NameOf(event)};
}

std::string PrintStorage(const object& object, Path path) {
  const auto quantity = Quantity::Parse(Text(object, path));
  return quantity ? ToString(*quantity) : "0";
}

std::string PrintModes(const array& modes) {
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {{"ReadWriteOnce", "RWO"},
                                                                      {"ReadOnlyMany", "ROX"},
                                                                      {"ReadWriteMany", "RWX"},
                                                                      {"ReadWriteOncePod", "RWOP"}};
  std::string shown;
  for (const auto& [mode, letters] : kShort) {
    if (std::find(modes.begin(), modes.end(), value(mode)) == modes.end()) continue;
    shown += (shown.empty() ? "" : ",") + std::string(letters);
  }
  return shown;
}

std::string ClassOf(const object& volume) {
  const auto annotated =
      Text(volume, {"metadata", "annotations", "volume.beta.kubernetes.io/storage-class"});
  return TextOr(annotated, Text(volume, {"spec", "storageClassName"}));
}

std::string PhaseOf(const object& volume) {
  const bool is_leaving = !Text(volume, {"metadata", "deletionTimestamp"}).empty();
  return is_leaving ? "Terminating" : std::string(Text(volume, {"status", "phase"}));
}

array VolumeCells(const object& volume, TimePoint now) {
  std::string claim;
  if (const auto* ref = FindObject(volume, {"spec", "claimRef"})) {
    claim = std::string(Text(*ref, {"namespace"})) + "/" + std::string(Text(*ref, {"name"}));
  }
  return {NameOf(volume),
          PrintStorage(volume, {"spec", "capacity", "storage"}),
          PrintModes(Items(volume, {"spec", "accessModes"})),
          Text(volume, {"spec", "persistentVolumeReclaimPolicy"}),
          PhaseOf(volume),
          claim,
          ClassOf(volume),
          TextOr(Text(volume, {"spec", "volumeAttributesClassName"}), "<unset>"),
          Text(volume, {"status", "reason"}),
          AgeOf(volume, now),
          TextOr(Text(volume, {"spec", "volumeMode"}), "<unset>")};
}

array VolumeClaimCells(const object& claim, TimePoint now) {
  const auto volume = Text(claim, {"spec", "volumeName"});
  const bool is_bound = !volume.empty();
  return {NameOf(claim),
          PhaseOf(claim),
          volume,
          is_bound ? PrintStorage(claim, {"status", "capacity", "storage"}) : std::string(),
          is_bound ? PrintModes(Items(claim, {"status", "accessModes"})) : std::string(),
          ClassOf(claim),
          TextOr(Text(claim, {"spec", "volumeAttributesClassName"}), "<unset>"),
          AgeOf(claim, now),
          TextOr(Text(claim, {"spec", "volumeMode"}), "<unset>")};
}

std::int64_t CountAt(const object& holder, std::string_view field) {
  const auto* found = Find(holder, {field});
  if (found == nullptr) return 0;
  if (found->is_array()) return static_cast<std::int64_t>(found->get_array().size());
  return found->is_object() ? static_cast<std::int64_t>(found->get_object().size()) : 0;
}

array NamespaceCells(const object& ns, TimePoint now) {
  return {NameOf(ns), Text(ns, {"status", "phase"}), AgeOf(ns, now)};
}
array ConfigMapCells(const object& map, TimePoint now) {
  return {NameOf(map), CountAt(map, "data") + CountAt(map, "binaryData"), AgeOf(map, now)};
}
array SecretCells(const object& secret, TimePoint now) {
  return {NameOf(secret), Text(secret, {"type"}), CountAt(secret, "data"), AgeOf(secret, now)};
}
array NameAndAge(const object& object, TimePoint now) {
  return {NameOf(object), AgeOf(object, now)};
}
array LeaseCells(const object& lease, TimePoint now) {
  return {NameOf(lease), Text(lease, {"spec", "holderIdentity"}), AgeOf(lease, now)};
}
array WebhooksCells(const object& webhooks, TimePoint now) {
  return {NameOf(webhooks), CountAt(webhooks, "webhooks"), AgeOf(webhooks, now)};
}
array PriorityClassCells(const object& priority, TimePoint now) {
  return {NameOf(priority), Int(priority, {"value"}), Bool(priority, {"globalDefault"}),
          AgeOf(priority, now), Text(priority, {"preemptionPolicy"})};
}

array StorageClassCells(const object& storage, TimePoint now) {
  const auto annotated = [&](std::string_view name) {
    return Text(storage, {"metadata", "annotations", name}) == "true";
  };
  const bool is_default = annotated("storageclass.kubernetes.io/is-default-class") ||
                          annotated("storageclass.beta.kubernetes.io/is-default-class");
  return {NameOf(storage) + (is_default ? " (default)" : ""),
          Text(storage, {"provisioner"}),
          TextOr(Text(storage, {"reclaimPolicy"}), "Delete"),
          TextOr(Text(storage, {"volumeBindingMode"}), "Immediate"),
          Bool(storage, {"allowVolumeExpansion"}),
          AgeOf(storage, now)};
}

// A number or a percentage.
std::string PrintLimit(const object& budget, std::string_view field) {
  const auto* limit = Find(budget, {"spec", field});
  if (limit == nullptr) return "N/A";
  return limit->is_string() ? std::string(limit->get_string()) : boost::json::serialize(*limit);
}

array BudgetCells(const object& budget, TimePoint now) {
  return {NameOf(budget), PrintLimit(budget, "minAvailable"), PrintLimit(budget, "maxUnavailable"),
          Int(budget, {"status", "disruptionsAllowed"}), AgeOf(budget, now)};
}

std::string Subjects(const object& binding, std::string_view kind) {
  array names;
  for (const auto& item : Items(binding, {"subjects"})) {
    const object& subject = Members(item, {});
    if (Text(subject, {"kind"}) != kind) continue;
    const auto ns = Text(subject, {"namespace"});
    const std::string prefix = kind == "ServiceAccount" && !ns.empty() ? std::string(ns) + "/" : "";
    names.push_back(object{{"name", prefix + std::string(Text(subject, {"name"}))}});
  }
  return Joined(names, "name", ", ");
}

array BindingCells(const object& binding, TimePoint now) {
  return {NameOf(binding),
          std::string(Text(binding, {"roleRef", "kind"})) + "/" +
              std::string(Text(binding, {"roleRef", "name"})),
          AgeOf(binding, now),
          Subjects(binding, "User"),
          Subjects(binding, "Group"),
          Subjects(binding, "ServiceAccount")};
}

constexpr TableColumn kPod[] = {{"Name"},
                                {"Ready"},
                                {"Status"},
                                {"Restarts"},
                                {"Age"},
                                {"IP", "string", 1},
                                {"Node", "string", 1},
                                {"Nominated Node", "string", 1},
                                {"Readiness Gates", "string", 1}};
constexpr TableColumn kNode[] = {{"Name"},
                                 {"Status"},
                                 {"Roles"},
                                 {"Age"},
                                 {"Version"},
                                 {"Internal-IP", "string", 1},
                                 {"External-IP", "string", 1},
                                 {"OS-Image", "string", 1},
                                 {"Kernel-Version", "string", 1},
                                 {"Container-Runtime", "string", 1}};
constexpr TableColumn kDeployment[] = {{"Name"},
                                       {"Ready"},
                                       {"Up-to-date"},
                                       {"Available"},
                                       {"Age"},
                                       {"Containers", "string", 1},
                                       {"Images", "string", 1},
                                       {"Selector", "string", 1}};
constexpr TableColumn kStatefulSet[] = {
    {"Name"}, {"Ready"}, {"Age"}, {"Containers", "string", 1}, {"Images", "string", 1}};
constexpr TableColumn kDaemonSet[] = {{"Name"},
                                      {"Desired", "integer"},
                                      {"Current", "integer"},
                                      {"Ready", "integer"},
                                      {"Up-to-date", "integer"},
                                      {"Available", "integer"},
                                      {"Node Selector"},
                                      {"Age"},
                                      {"Containers", "string", 1},
                                      {"Images", "string", 1},
                                      {"Selector", "string", 1}};
constexpr TableColumn kReplicaSet[] = {
    {"Name"}, {"Desired", "integer"},      {"Current", "integer"},  {"Ready", "integer"},
    {"Age"},  {"Containers", "string", 1}, {"Images", "string", 1}, {"Selector", "string", 1}};
constexpr TableColumn kJob[] = {{"Name"},
                                {"Status"},
                                {"Completions"},
                                {"Duration"},
                                {"Age"},
                                {"Containers", "string", 1},
                                {"Images", "string", 1},
                                {"Selector", "string", 1}};
constexpr TableColumn kService[] = {
    {"Name"},    {"Type"}, {"Cluster-IP"},           {"External-IP"},
    {"Port(s)"}, {"Age"},  {"Selector", "string", 1}};
constexpr TableColumn kEndpoints[] = {{"Name"}, {"Endpoints"}, {"Age"}};
constexpr TableColumn kEvent[] = {{"Last Seen"},
                                  {"Type"},
                                  {"Reason"},
                                  {"Object"},
                                  {"Subobject", "string", 1},
                                  {"Source", "string", 1},
                                  {"Message"},
                                  {"First Seen", "string", 1},
                                  {"Count", "string", 1},
                                  {"Name", "string", 1}};
constexpr TableColumn kNamespace[] = {{"Name"}, {"Status"}, {"Age"}};
constexpr TableColumn kSecret[] = {{"Name"}, {"Type"}, {"Data"}, {"Age"}};
constexpr TableColumn kConfigMap[] = {{"Name"}, {"Data"}, {"Age"}};
constexpr TableColumn kServiceAccount[] = {{"Name"}, {"Age"}};
constexpr TableColumn kVolume[] = {
    {"Name"},   {"Capacity"}, {"Access Modes"},           {"Reclaim Policy"},
    {"Status"}, {"Claim"},    {"StorageClass"},           {"VolumeAttributesClass"},
    {"Reason"}, {"Age"},      {"VolumeMode", "string", 1}};
constexpr TableColumn kVolumeClaim[] = {{"Name"},
                                        {"Status"},
                                        {"Volume"},
                                        {"Capacity"},
                                        {"Access Modes"},
                                        {"StorageClass"},
                                        {"VolumeAttributesClass"},
                                        {"Age"},
                                        {"VolumeMode", "string", 1}};
constexpr TableColumn kLease[] = {{"Name"}, {"Holder"}, {"Age"}};
constexpr TableColumn kPriorityClass[] = {
    {"Name"}, {"Value", "integer"}, {"Global-Default", "boolean"}, {"Age"}, {"PreemptionPolicy"}};
constexpr TableColumn kStorageClass[] = {
    {"Name"}, {"Provisioner"}, {"ReclaimPolicy"}, {"VolumeBindingMode"}, {"AllowVolumeExpansion"},
    {"Age"}};
constexpr TableColumn kBudget[] = {
    {"Name"}, {"Min Available"}, {"Max Unavailable"}, {"Allowed Disruptions", "integer"}, {"Age"}};
constexpr TableColumn kBinding[] = {{"Name"},
                                    {"Role"},
                                    {"Age"},
                                    {"Users", "string", 1},
                                    {"Groups", "string", 1},
                                    {"ServiceAccounts", "string", 1}};
constexpr TableColumn kWebhooks[] = {{"Name"}, {"Webhooks", "integer"}, {"Age"}};

constexpr BuiltInTable kTables[] = {
    {"Pod", kPod, PodCells},
    {"Node", kNode, NodeCells},
    {"Namespace", kNamespace, NamespaceCells},
    {"Deployment", kDeployment, DeploymentCells},
    {"StatefulSet", kStatefulSet, StatefulSetCells},
    {"DaemonSet", kDaemonSet, DaemonSetCells},
    {"ReplicaSet", kReplicaSet, ReplicaSetCells},
    {"Job", kJob, JobCells},
    {"Service", kService, ServiceCells},
    {"Endpoints", kEndpoints, EndpointsCells},
    {"Event", kEvent, EventCells},
    {"ConfigMap", kConfigMap, ConfigMapCells},
    {"Secret", kSecret, SecretCells},
    {"ServiceAccount", kServiceAccount, NameAndAge},
    {"PersistentVolume", kVolume, VolumeCells},
    {"PersistentVolumeClaim", kVolumeClaim, VolumeClaimCells},
    {"Lease", kLease, LeaseCells},
    {"PriorityClass", kPriorityClass, PriorityClassCells},
    {"StorageClass", kStorageClass, StorageClassCells},
    {"PodDisruptionBudget", kBudget, BudgetCells},
    {"RoleBinding", kBinding, BindingCells},
    {"ClusterRoleBinding", kBinding, BindingCells},
    {"MutatingWebhookConfiguration", kWebhooks, WebhooksCells},
    {"ValidatingWebhookConfiguration", kWebhooks, WebhooksCells},
};

}  // namespace

const BuiltInTable* FindBuiltInTable(std::string_view kind) {
  const auto* found = std::find_if(std::begin(kTables), std::end(kTables),
                                   [&](const BuiltInTable& table) { return table.kind == kind; });
  return found == std::end(kTables) ? nullptr : found;
}

}  // namespace gs::localcluster
