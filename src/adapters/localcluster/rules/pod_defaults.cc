#include <algorithm>
#include <boost/json/array.hpp>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/rules/pod_rules.h"
#include "adapters/localcluster/rules/quantities.h"
#include "adapters/localcluster/store/object_text.h"
#include "base/quantity.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

constexpr std::string_view kTokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";

template <class Do>
void ForEachObject(json::object& object, std::string_view field, Do act) {
  auto* list = FindArray(object, {field});
  if (list == nullptr) return;
  for (auto& item : *list) {
    if (item.is_object()) act(item.get_object());
  }
}

template <class Do>
void ForEachContainer(json::object& spec, Do act) {
  ForEachObject(spec, "initContainers", act);
  ForEachObject(spec, "containers", act);
}

// Without a tag, or with ":latest", the newest is wanted.
std::string_view PullPolicyOf(std::string_view image) {
  if (image.find('@') != image.npos) return "IfNotPresent";
  const auto slash = image.rfind('/');
  const auto colon = image.find(':', slash == image.npos ? 0 : slash);
  const bool is_latest = colon == image.npos || image.substr(colon + 1) == "latest";
  return is_latest ? "Always" : "IfNotPresent";
}

void DefaultProbe(json::object& container, std::string_view field) {
  auto* probe = FindObject(container, {field});
  if (probe == nullptr) return;
  SetDefault(*probe, "timeoutSeconds", 1);
  SetDefault(*probe, "periodSeconds", 10);
  SetDefault(*probe, "successThreshold", 1);
  SetDefault(*probe, "failureThreshold", 3);
  if (auto* get = FindObject(*probe, {"httpGet"})) {
    SetDefault(*get, "scheme", "HTTP");
    SetDefault(*get, "path", "/");
  }
}

// What is limited and not requested is requested as much.
void DefaultRequests(json::object& resources) {
  const auto* limits = FindObject(resources, {"limits"});
  if (limits == nullptr || limits->empty()) return;
  const json::object copy = *limits;
  auto& requests = Make(resources, {"requests"});
  for (const auto& [name, value] : copy) SetDefault(requests, name, value);
}

void DefaultContainer(json::object& container) {
  SetDefault(container, "resources", json::object());
  SetDefault(container, "terminationMessagePath", "/dev/termination-log");
  SetDefault(container, "terminationMessagePolicy", "File");
  SetDefault(container, "imagePullPolicy", json::string(PullPolicyOf(Text(container, {"image"}))));
  ForEachObject(container, "ports",
                [](json::object& port) { SetDefault(port, "protocol", "TCP"); });
  ForEachObject(container, "env", [](json::object& variable) {
    if (auto* field = FindObject(variable, {"valueFrom", "fieldRef"})) {
      SetDefault(*field, "apiVersion", "v1");
    }
  });
  for (const auto probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    DefaultProbe(container, probe);
  }
  auto& resources = Make(container, {"resources"});
  CanonicalQuantities(resources, "limits");
  CanonicalQuantities(resources, "requests");
  DefaultRequests(resources);
}

void DefaultVolume(json::object& volume) {
  constexpr int kMode = 420;
  for (const auto kind : {"configMap", "secret", "projected", "downwardAPI"}) {
    if (auto* source = FindObject(volume, {kind})) SetDefault(*source, "defaultMode", kMode);
  }
  if (auto* path = FindObject(volume, {"hostPath"})) SetDefault(*path, "type", "");
}

bool HasToleration(const json::array& tolerations, std::string_view taint) {
  return std::any_of(tolerations.begin(), tolerations.end(), [&](const json::value& value) {
    if (!value.is_object()) return false;
    const auto key = Text(value, {"key"});
    const auto effect = Text(value, {"effect"});
    return (key == taint || key.empty()) && (effect == "NoExecute" || effect.empty());
  });
}

// A node that is gone for five minutes loses its pods.
void AddTolerations(json::object& spec) {
  constexpr int kSeconds = 300;
  auto& tolerations = MakeArray(spec, "tolerations");
  for (const auto taint : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    if (HasToleration(tolerations, taint)) continue;
    tolerations.emplace_back(json::object{{"key", taint},
                                          {"operator", "Exists"},
                                          {"effect", "NoExecute"},
                                          {"tolerationSeconds", kSeconds}});
  }
}

json::object TokenVolume(const std::string& name) {
  json::array sources;
  sources.emplace_back(json::object{
      {"serviceAccountToken", json::object{{"expirationSeconds", 3607}, {"path", "token"}}}});
  sources.emplace_back(json::object{
      {"configMap",
       json::object{{"name", "kube-root-ca.crt"},
                    {"items", json::array{json::object{{"key", "ca.crt"}, {"path", "ca.crt"}}}}}}});
  const json::object ns{
      {"path", "namespace"},
      {"fieldRef", json::object{{"apiVersion", "v1"}, {"fieldPath", "metadata.namespace"}}}};
  sources.emplace_back(json::object{{"downwardAPI", json::object{{"items", json::array{ns}}}}});
  return {{"name", name},
          {"projected", json::object{{"sources", std::move(sources)}, {"defaultMode", 420}}}};
}

bool WantsToken(const Store& store, const json::object& pod) {
  if (const auto* wish = Find(pod, {"spec", "automountServiceAccountToken"})) {
    return *wish == json::value(true);
  }
  const auto account = store.Get({.resource = "serviceaccounts",
                                  .ns = std::string(Text(pod, {"metadata", "namespace"})),
                                  .name = std::string(Text(pod, {"spec", "serviceAccountName"}))});
  if (!account) return true;
  const auto object = ParseStored(account->text);
  const auto* wish = Find(object, {"automountServiceAccountToken"});
  return wish == nullptr || *wish == json::value(true);
}

void MountToken(ObjectNames& names, json::object& spec) {
  std::string volume;
  ForEachContainer(spec, [&](json::object& container) {
    auto& mounts = MakeArray(container, "volumeMounts");
    for (const auto& mount : mounts) {
      if (Text(mount, {"mountPath"}) == kTokenPath) return;
    }
    if (volume.empty()) volume = names.Generate("kube-api-access-");
    mounts.emplace_back(
        json::object{{"name", volume}, {"readOnly", true}, {"mountPath", kTokenPath}});
  });
  if (volume.empty()) return;
  MakeArray(spec, "volumes").emplace_back(TokenVolume(volume));
}

Verdict SetPriority(const Store& store, json::object& pod) {
  auto& spec = Make(pod, {"spec"});
  std::string name(Text(spec, {"priorityClassName"}));
  ObjectPtr found;
  if (name.empty()) {
    for (const auto& candidate : store.List("priorityclasses.scheduling.k8s.io").objects) {
      if (Bool(ParseStored(candidate->text), {"globalDefault"})) found = candidate;
    }
    if (found) spec["priorityClassName"] = found->name;
  } else {
    found = store.Get({.resource = "priorityclasses.scheduling.k8s.io", .ns = "", .name = name});
    if (!found) {
      return Forbidden(
          {.plural = "pods", .group = "", .name = std::string(Text(pod, {"metadata", "name"}))},
          "no PriorityClass with name " + name + " was found");
    }
  }
  std::int64_t priority = 0;
  std::string policy = "PreemptLowerPriority";
  if (found) {
    const auto object = ParseStored(found->text);
    priority = Int(object, {"value"});
    const auto own = Text(object, {"preemptionPolicy"});
    if (!own.empty()) policy = own;
  }
  spec["priority"] = priority;
  SetDefault(spec, "preemptionPolicy", json::string(policy));
  return std::nullopt;
}

json::object GatedCondition() {
  return {{"type", "PodScheduled"},
          {"status", "False"},
          {"lastProbeTime", nullptr},
          {"lastTransitionTime", nullptr},
          {"reason", "SchedulingGated"},
          {"message", "Scheduling is blocked due to non-empty scheduling gates"}};
}

}  // namespace

void DefaultPodSpec(json::object& spec) {
  ForEachContainer(spec, DefaultContainer);
  ForEachObject(spec, "ephemeralContainers", DefaultContainer);
  ForEachObject(spec, "volumes", DefaultVolume);
  SetDefault(spec, "restartPolicy", "Always");
  SetDefault(spec, "terminationGracePeriodSeconds", 30);
  SetDefault(spec, "dnsPolicy", "ClusterFirst");
  SetDefault(spec, "securityContext", json::object());
  SetDefault(spec, "schedulerName", "default-scheduler");
  const auto account = Text(spec, {"serviceAccountName"});
  const auto old_account = Text(spec, {"serviceAccount"});
  if (account.empty() && !old_account.empty()) {
    spec["serviceAccountName"] = std::string(old_account);
  } else if (!account.empty()) {
    spec["serviceAccount"] = std::string(account);
  }
}

Verdict AdmitNewPod(const Store& store, ObjectNames& names, json::object& pod) {
  auto& spec = Make(pod, {"spec"});
  DefaultPodSpec(spec);
  SetDefault(spec, "serviceAccountName", "default");
  spec["serviceAccount"] = std::string(Text(spec, {"serviceAccountName"}));
  SetDefault(spec, "enableServiceLinks", true);
  if (auto refusal = SetPriority(store, pod)) return refusal;
  AddTolerations(spec);
  if (WantsToken(store, pod)) MountToken(names, spec);
  json::object status{{"phase", "Pending"}, {"qosClass", QosClassOf(spec)}};
  const auto* gates = FindArray(pod, {"spec", "schedulingGates"});
  if (gates != nullptr && !gates->empty()) status["conditions"] = json::array{GatedCondition()};
  pod["status"] = std::move(status);
  return std::nullopt;
}

std::string QosClassOf(const json::object& spec) {
  bool has_any = false;
  bool is_guaranteed = true;
  for (const auto list : {"initContainers", "containers"}) {
    const auto* containers = FindArray(spec, {list});
    if (containers == nullptr) continue;
    for (const auto& item : *containers) {
      if (!item.is_object()) continue;
      for (const auto name : {"cpu", "memory"}) {
        const auto limit = Text(item.get_object(), {"resources", "limits", name});
        const auto request = Text(item.get_object(), {"resources", "requests", name});
        has_any = has_any || !limit.empty() || !request.empty();
        if (limit.empty() || (!request.empty() && request != limit)) is_guaranteed = false;
      }
    }
  }
  if (!has_any) return "BestEffort";
  return is_guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace gs::localcluster
