#include "adapters/machinesets/documents.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <map>
#include <utility>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/machinesets/provider_spec.h"
#include "base/text.h"

namespace gs::machinesets {
namespace {

using boost::json::object;

constexpr const char* kClusterKey = "machine.openshift.io/cluster-api-cluster";
constexpr const char* kSetKey = "machine.openshift.io/cluster-api-machineset";
constexpr const char* kRoleKey = "machine.openshift.io/cluster-api-machine-role";
constexpr const char* kTypeKey = "machine.openshift.io/cluster-api-machine-type";

object ToObject(const std::map<std::string, std::string>& entries) {
  object made;
  for (const auto& [key, value] : entries) made[key] = value;
  return made;
}

boost::json::array ToArray(const std::vector<model::Taint>& taints) {
  boost::json::array made;
  for (const model::Taint& taint : taints) {
    made.push_back(object{{"key", taint.key},
                          {"value", taint.value},
                          {"effect", std::string(ToString(taint.effect))}});
  }
  return made;
}

object Metadata(const PlannedSet& set, const std::string& infrastructure) {
  object labels{{kOwnLabel, kOwnLabelValue}};
  if (!infrastructure.empty()) labels[kClusterKey] = infrastructure;
  return {{"name", set.name}, {"namespace", kNamespace}, {"labels", std::move(labels)}};
}

// What the label's value is, and how many GPUs of it there may be at most.
std::map<std::string, int> GpuLimits(const std::vector<PlannedSet>& plan) {
  std::map<std::string, int> limits;
  for (const PlannedSet& set : plan) {
    if (!set.autoscale || set.accelerator.empty()) continue;
    limits[set.accelerator] += set.autoscale->max * set.gpus;
  }
  return limits;
}

// metadata.managedFields spells a field "f:replicas".
const boost::json::value* OwnedFields(const boost::json::value& live, std::string_view manager) {
  for (const auto& entry : localcluster::Items(live, {"metadata", "managedFields"})) {
    const bool is_ours = localcluster::Text(entry, {"manager"}) == manager &&
                         localcluster::Text(entry, {"operation"}) == "Apply";
    if (is_ours) return localcluster::Find(entry, {"fieldsV1"});
  }
  return nullptr;
}

bool Owns(const boost::json::value* owned, localcluster::Path path) {
  return owned != nullptr && localcluster::Find(*owned, path) != nullptr;
}

void KeepReplicas(const boost::json::value& live, const boost::json::value* owned, object& spec) {
  spec.erase("replicas");
  // Leaving out what only we own would put it back to the API's default.
  if (!Owns(owned, {"f:spec", "f:replicas"})) return;
  if (const auto replicas = localcluster::MaybeInt(live, {"spec", "replicas"})) {
    spec["replicas"] = *replicas;
  }
}

bool HasAllOf(std::string_view list, std::string_view wanted) {
  const auto present = text::Split(list, ',');
  const auto words = text::Split(wanted, ',');
  return std::all_of(words.begin(), words.end(), [&](const auto& word) {
    return std::find(present.begin(), present.end(), word) != present.end();
  });
}

// The cloud's own controller writes some of them, and knows better. Of the labels it only adds the
// architecture, and changes their order.
void KeepCapacities(const boost::json::value& live, const boost::json::value* owned,
                    object& annotations) {
  std::vector<std::string> foreign;
  for (const auto& [key, value] : annotations) {
    const std::string field = "f:" + std::string(key);
    const bool is_ours = Owns(owned, {"f:metadata", "f:annotations", field});
    const auto there = localcluster::Text(live, {"metadata", "annotations", key});
    const bool is_old = key == kCapacityLabels && !HasAllOf(there, value.get_string());
    if (!there.empty() && !is_ours && !is_old) foreign.emplace_back(key);
  }
  for (const std::string& key : foreign) annotations.erase(key);
}

}  // namespace

object MakeMachineSet(const Cluster& cluster, const PlannedSet& set,
                      const boost::json::value& worker) {
  const object selected{{kClusterKey, cluster.infrastructure}, {kSetKey, set.name}};
  object machine_labels = selected;
  machine_labels[kRoleKey] = set.role;
  machine_labels[kTypeKey] = set.role;
  object provider_spec = ProviderSpecOf(worker);
  ChangeProviderSpec(cluster.platform, set, provider_spec);
  object machine{{"metadata", object{{"labels", ToObject(set.labels)}}},
                 {"taints", ToArray(set.taints)},
                 {"providerSpec", object{{"value", std::move(provider_spec)}}}};
  object metadata = Metadata(set, cluster.infrastructure);
  if (!set.capacities.empty()) metadata["annotations"] = ToObject(set.capacities);
  return {
      {"apiVersion", "machine.openshift.io/v1beta1"},
      {"kind", "MachineSet"},
      {"metadata", std::move(metadata)},
      {"spec", object{{"replicas", set.replicas},
                      {"selector", object{{"matchLabels", selected}}},
                      {"template", object{{"metadata", object{{"labels", machine_labels}}},
                                          {"spec", std::move(machine)}}}}},
  };
}

object MakeMachineAutoscaler(const PlannedSet& set) {
  return {
      {"apiVersion", "autoscaling.openshift.io/v1beta1"},
      {"kind", "MachineAutoscaler"},
      {"metadata", Metadata(set, "")},
      {"spec", object{{"minReplicas", set.autoscale->min},
                      {"maxReplicas", set.autoscale->max},
                      {"scaleTargetRef", object{{"apiVersion", "machine.openshift.io/v1beta1"},
                                                {"kind", "MachineSet"},
                                                {"name", set.name}}}}},
  };
}

std::optional<object> MakeClusterAutoscaler(const std::vector<PlannedSet>& plan) {
  const bool is_wanted = std::any_of(plan.begin(), plan.end(),
                                     [](const auto& set) { return set.autoscale.has_value(); });
  if (!is_wanted) return std::nullopt;
  boost::json::array gpus;
  for (const auto& [type, max] : GpuLimits(plan)) {
    gpus.push_back(object{{"type", type}, {"min", 0}, {"max", max}});
  }
  object spec{{"scaleDown", object{{"enabled", true}, {"unneededTime", "10m"}}},
              {"balanceSimilarNodeGroups", true}};
  if (!gpus.empty()) spec["resourceLimits"] = object{{"gpus", std::move(gpus)}};
  return object{{"apiVersion", "autoscaling.openshift.io/v1"},
                {"kind", "ClusterAutoscaler"},
                {"metadata", object{{"name", "default"}}},
                {"spec", std::move(spec)}};
}

std::vector<std::string> MissingGpuLimits(const boost::json::value& autoscaler,
                                          const std::vector<PlannedSet>& plan) {
  std::vector<std::string> missing;
  const auto& limits = localcluster::Items(autoscaler, {"spec", "resourceLimits", "gpus"});
  for (const auto& [type, max] : GpuLimits(plan)) {
    const std::string& wanted = type;
    const bool is_there = std::any_of(limits.begin(), limits.end(), [&](const auto& limit) {
      return localcluster::Text(limit, {"type"}) == wanted;
    });
    if (!is_there) missing.push_back(type);
  }
  return missing;
}

void KeepWhatOthersOwn(const boost::json::value& live, std::string_view manager, object& document) {
  const boost::json::value* owned = OwnedFields(live, manager);
  KeepReplicas(live, owned, localcluster::Make(document, {"spec"}));
  object& metadata = localcluster::Make(document, {"metadata"});
  metadata["resourceVersion"] = localcluster::Text(live, {"metadata", "resourceVersion"});
  if (auto* annotations = localcluster::FindObject(metadata, {"annotations"})) {
    KeepCapacities(live, owned, *annotations);
  }
}

}  // namespace gs::machinesets
