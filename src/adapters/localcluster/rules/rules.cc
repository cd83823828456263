#include "adapters/localcluster/rules/rules.h"

#include <algorithm>
#include <boost/json/array.hpp>

#include "adapters/kube/login/base64.h"
#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/rules/config_rules.h"
#include "adapters/localcluster/rules/metadata_rules.h"
#include "adapters/localcluster/rules/pod_rules.h"
#include "adapters/localcluster/rules/quantities.h"
#include "adapters/localcluster/rules/service_rules.h"
#include "adapters/localcluster/rules/storage_rules.h"
#include "adapters/localcluster/rules/workload_rules.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

// Whoever reads a typed object sees no difference between null and nothing.
void DropNulls(json::value& value) {
  if (auto* object = value.if_object()) {
    for (auto it = object->begin(); it != object->end();) {
      if (it->value().is_null()) {
        it = object->erase(it);
      } else {
        DropNulls(it->value());
        ++it;
      }
    }
  } else if (auto* array = value.if_array()) {
    for (auto& item : *array) DropNulls(item);
  }
}

void DropNulls(json::object& object) {
  for (auto it = object.begin(); it != object.end();) {
    if (it->value().is_null()) {
      it = object.erase(it);
    } else {
      DropNulls(it->value());
      ++it;
    }
  }
}

void DefaultNamespace(json::object& ns) {
  auto& metadata = Make(ns, {"metadata"});
  const std::string name(Text(metadata, {"name"}));
  Make(metadata, {"labels"})["kubernetes.io/metadata.name"] = name;
  Make(ns, {"spec"})["finalizers"] = json::array{"kubernetes"};
  ns["status"] = json::object{{"phase", "Active"}};
}

// What was given as text is kept as base64 with the rest.
void DefaultSecret(json::object& secret) {
  SetDefault(secret, "type", "Opaque");
  const auto* texts = FindObject(secret, {"stringData"});
  if (texts == nullptr) return;
  const json::object copy = *texts;
  auto& data = Make(secret, {"data"});
  for (const auto& [name, value] : copy) {
    if (value.is_string()) data[name] = kube::EncodeBase64(value.get_string());
  }
  secret.erase("stringData");
}

void DefaultWebhooks(json::object& configuration) {
  auto* webhooks = FindArray(configuration, {"webhooks"});
  if (webhooks == nullptr) return;
  for (auto& value : *webhooks) {
    if (!value.is_object()) continue;
    auto& webhook = value.get_object();
    SetDefault(webhook, "failurePolicy", "Fail");
    SetDefault(webhook, "matchPolicy", "Equivalent");
    SetDefault(webhook, "namespaceSelector", json::object());
    SetDefault(webhook, "objectSelector", json::object());
    SetDefault(webhook, "reinvocationPolicy", "Never");
    SetDefault(webhook, "timeoutSeconds", 10);
    if (auto* service = FindObject(webhook, {"clientConfig", "service"})) {
      SetDefault(*service, "port", 443);
    }
    auto* rules = FindArray(webhook, {"rules"});
    if (rules == nullptr) continue;
    for (auto& rule : *rules) {
      if (rule.is_object()) SetDefault(rule.get_object(), "scope", "*");
    }
  }
}

void DefaultNode(json::object& node) {
  auto& status = Make(node, {"status"});
  CanonicalQuantities(status, "capacity");
  CanonicalQuantities(status, "allocatable");
  // Whoever keeps nothing back can give everything.
  if (const auto* capacity = FindObject(status, {"capacity"})) {
    SetDefault(status, "allocatable", json::object(*capacity));
  }
  if (Text(status, {"nodeInfo", "kubeletVersion"}).empty() && status.empty()) {
    node.erase("status");
  }
}

// Nothing is put on a node before somebody says that it is ready. Simulated nodes are from the
// start.
void TaintNewNode(json::object& node) {
  constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
  auto& spec = Make(node, {"spec"});
  SetDefault(spec, "taints", json::array());
  auto* taints = FindArray(spec, {"taints"});
  if (taints == nullptr) return;
  const auto is_ours = [&](const json::value& taint) {
    return taint.is_object() && Text(taint.get_object(), {"key"}) == kNotReady &&
           Text(taint.get_object(), {"effect"}) == "NoSchedule";
  };
  if (std::any_of(taints->begin(), taints->end(), is_ours)) return;
  taints->push_back({{"key", kNotReady}, {"effect", "NoSchedule"}});
}

// What every status of a kind has, from the start.
json::object NewStatus(const Kind& kind) {
  json::object status;
  const auto begin = [&](std::initializer_list<std::string_view> counts) {
    for (const auto count : counts) status[count] = 0;
  };
  if (kind.kind == "StatefulSet") begin({"replicas", "availableReplicas"});
  if (kind.kind == "ReplicaSet") begin({"replicas"});
  if (kind.kind == "DaemonSet") {
    begin(
        {"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"});
  }
  if (kind.kind == "PodDisruptionBudget") {
    begin({"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"});
  }
  return status;
}

void DefaultRoleBinding(json::object& binding) {
  constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
  if (auto* role = FindObject(binding, {"roleRef"}))
    SetDefault(*role, "apiGroup", json::string(kGroup));
  auto* subjects = FindArray(binding, {"subjects"});
  if (subjects == nullptr) return;
  for (auto& subject : *subjects) {
    if (!subject.is_object()) continue;
    const auto kind = Text(subject.get_object(), {"kind"});
    if (kind == "User" || kind == "Group") {
      SetDefault(subject.get_object(), "apiGroup", json::string(kGroup));
    }
  }
}

void CheckLease(const json::object& lease, Faults& faults) {
  for (const std::string_view field : {"leaseDurationSeconds", "leaseTransitions"}) {
    const auto number = MaybeInt(lease, {"spec", field});
    const bool may_be_zero = field == "leaseTransitions";
    if (!number || *number > 0 || (may_be_zero && *number == 0)) continue;
    faults.Invalid("spec." + std::string(field), *number,
                   may_be_zero ? "must be greater than or equal to 0" : "must be greater than 0");
  }
}

bool IsCore(const Kind& kind, std::string_view name) {
  return kind.group.empty() && kind.kind == name;
}

// A cluster cannot do without some of its namespaces.
Verdict CheckDelete(const Attempt& attempt) {
  if (!IsCore(attempt.kind, "Namespace")) return std::nullopt;
  for (const auto name : {"default", "kube-system", "kube-public"}) {
    if (attempt.name != name) continue;
    return Forbidden(attempt.kind.Named(name), "this namespace may not be deleted");
  }
  return std::nullopt;
}

// The one of every namespace is made soon after it; others have to be there.
Verdict CheckAccount(const Store& store, const Attempt& attempt) {
  const std::string name(Text(*attempt.object, {"spec", "serviceAccountName"}));
  if (name.empty() || name == "default" || attempt.user.name == kItself) return std::nullopt;
  if (store.Get({.resource = "serviceaccounts", .ns = attempt.ns, .name = name})) {
    return std::nullopt;
  }
  return Forbidden(attempt.kind.Named(attempt.name),
                   "error looking up service account " + attempt.ns + "/" + name +
                       ": serviceaccount \"" + name + "\" not found");
}

// A writer of the whole status need not know the class.
void KeepQosClass(const json::object* old, json::object& pod) {
  const auto known = old == nullptr ? "" : Text(*old, {"status", "qosClass"});
  if (!known.empty()) SetDefault(Make(pod, {"status"}), "qosClass", json::string(known));
}

void CheckBudget(const json::object& budget, Faults& faults) {
  const auto* spec = Find(budget, {"spec"});
  const bool has_both = Find(budget, {"spec", "minAvailable"}) != nullptr &&
                        Find(budget, {"spec", "maxUnavailable"}) != nullptr;
  if (has_both) {
    faults.Invalid("spec", *spec, "minAvailable and maxUnavailable cannot be both set");
  }
}

Verdict DefaultPod(const Store& store, ObjectNames& names, const Attempt& attempt) {
  json::object& pod = *attempt.object;
  if (attempt.operation == Operation::kCreate) {
    if (auto refusal = CheckAccount(store, attempt)) return refusal;
    return AdmitNewPod(store, names, pod);
  }
  if (attempt.part == Part::kStatus) KeepQosClass(attempt.old, pod);
  if (attempt.part == Part::kMain) DefaultPodSpec(Make(pod, {"spec"}));
  return std::nullopt;
}

void DefaultCoreObject(const Store& store, const Attempt& attempt) {
  const std::string& kind = attempt.kind.kind;
  json::object& object = *attempt.object;
  const bool is_new = attempt.operation == Operation::kCreate;
  if (kind == "Node") {
    DefaultNode(object);
    if (is_new && attempt.user.name != kItself) TaintNewNode(object);
  } else if (kind == "Namespace") {
    if (is_new) DefaultNamespace(object);
  } else if (kind == "Secret") {
    DefaultSecret(object);
  } else if (kind == "Service") {
    if (attempt.part == Part::kMain) DefaultService(store, attempt.old, object);
  } else if (kind == "PersistentVolumeClaim") {
    if (is_new) DefaultNewClaim(store, object);
  } else if (kind == "PersistentVolume") {
    if (is_new) DefaultNewVolume(object);
  }
}

void DefaultOtherObject(const Attempt& attempt) {
  const Kind& kind = attempt.kind;
  json::object& object = *attempt.object;
  const bool is_new = attempt.operation == Operation::kCreate;
  if (kind.kind == "StorageClass") {
    DefaultStorageClass(object);
  } else if (kind.kind == "PriorityClass") {
    SetDefault(object, "preemptionPolicy", "PreemptLowerPriority");
  } else if (kind.kind == "MutatingWebhookConfiguration") {
    DefaultWebhooks(object);
  } else if (kind.kind == "RoleBinding" || kind.kind == "ClusterRoleBinding") {
    DefaultRoleBinding(object);
  } else if (IsWorkload(kind)) {
    DefaultWorkload(kind, attempt.old, object);
    if (is_new) object["status"] = NewStatus(kind);
  } else if (kind.kind == "PodDisruptionBudget") {
    if (is_new) object["status"] = NewStatus(kind);
  }
}

}  // namespace

Verdict Rules::Admit(Attempt& attempt) const {
  if (attempt.operation == Operation::kDelete) {
    if (auto refusal = CheckDelete(attempt)) return refusal;
    return webhooks_ ? webhooks_(attempt) : std::nullopt;
  }
  if (attempt.kind.is_custom) {
    if (webhooks_) {
      if (auto refusal = webhooks_(attempt)) return refusal;
    }
    if (custom_) {
      if (auto refusal = custom_(attempt)) return refusal;
    }
    Faults faults;
    CheckMetadata(attempt.kind, *attempt.object, faults);
    return faults.About(attempt.kind, attempt.name);
  }
  DropNulls(*attempt.object);
  if (auto refusal = Default(attempt)) return refusal;
  if (webhooks_) {
    if (auto refusal = webhooks_(attempt)) return refusal;
  }
  return Check(attempt);
}

Verdict Rules::Default(Attempt& attempt) const {
  const Kind& kind = attempt.kind;
  if (IsCore(kind, "Pod")) return DefaultPod(store_, names_, attempt);
  if (kind.kind == "CustomResourceDefinition" && custom_) return custom_(attempt);
  if (kind.group.empty()) {
    DefaultCoreObject(store_, attempt);
  } else {
    DefaultOtherObject(attempt);
  }
  return std::nullopt;
}

Verdict Rules::Check(const Attempt& attempt) const {
  const Kind& kind = attempt.kind;
  const json::object& object = *attempt.object;
  Faults faults;
  CheckMetadata(kind, object, faults);
  if (attempt.part == Part::kMain) {
    if (IsCore(kind, "Pod")) {
      static const json::object kNone;
      const auto* spec = FindObject(object, {"spec"});
      CheckPodSpec(spec == nullptr ? kNone : *spec, "spec", faults);
      if (attempt.old != nullptr) CheckPodUpdate(*attempt.old, object, faults);
    } else if (IsCore(kind, "Service")) {
      CheckService(attempt.old, object, faults);
    } else if (IsCore(kind, "ConfigMap")) {
      CheckConfigMap(attempt.old, object, faults);
    } else if (IsCore(kind, "Secret")) {
      CheckSecret(attempt.old, object, faults);
    } else if (kind.kind == "PodDisruptionBudget") {
      CheckBudget(object, faults);
    } else if (IsCore(kind, "PersistentVolumeClaim")) {
      const auto* modes = FindArray(object, {"spec", "accessModes"});
      if (modes == nullptr || modes->empty()) {
        faults.Required("spec.accessModes", "at least 1 access mode is required");
      }
    } else if (kind.kind == "Lease") {
      CheckLease(object, faults);
    } else if (IsWorkload(kind)) {
      CheckWorkload(kind, attempt.old, object, faults);
    }
  }
  return faults.About(kind, attempt.name);
}

}  // namespace gs::localcluster
