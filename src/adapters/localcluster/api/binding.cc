#include "adapters/localcluster/api/binding.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/store/object_text.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

Verdict CheckBinding(const std::string& pod, const json::object& binding) {
  if (Text(binding, {"metadata", "name"}) != pod) {
    return BadRequest("name in URL does not match name in Binding object");
  }
  const auto kind = Text(binding, {"target", "kind"});
  Status refusal;
  if (!kind.empty() && kind != "Node") {
    refusal.message = "target.kind: Unsupported value: \"" + std::string(kind) +
                      "\": supported values: \"<empty>\", \"Node\"";
    return refusal;
  }
  if (Text(binding, {"target", "name"}).empty()) {
    refusal.message = "target.name: Required value";
    return refusal;
  }
  return std::nullopt;
}

// As the real server's storage words a precondition that does not hold.
Status Precondition(const StoredObject& pod, std::string_view what, std::string_view asked,
                    std::string_view actual) {
  std::string why = "StorageError: invalid object, Code: 4, Key: /registry/pods/" + pod.ns + "/" +
                    pod.name + ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ";
  why += std::string(what) + " in precondition: " + std::string(asked) + ", " + std::string(what) +
         " in object meta: " + std::string(actual);
  return Conflict({.plural = "pods", .group = "", .name = pod.name}, why);
}

Verdict CheckPreconditions(const json::object& binding, const StoredObject& pod) {
  const auto uid = Text(binding, {"metadata", "uid"});
  if (!uid.empty() && uid != pod.uid) return Precondition(pod, "UID", uid, pod.uid);
  const auto version = Text(binding, {"metadata", "resourceVersion"});
  const auto actual = std::to_string(pod.revision);
  if (!version.empty() && version != actual) {
    return Precondition(pod, "ResourceVersion", version, actual);
  }
  return std::nullopt;
}

Verdict CheckPod(const json::object& pod) {
  const std::string name(Text(pod, {"metadata", "name"}));
  const Subject subject{.plural = "pods/binding", .group = "", .name = name};
  if (Find(pod, {"metadata", "deletionTimestamp"}) != nullptr) {
    return Conflict(subject, "pod " + name + " is being deleted, cannot be assigned to a host");
  }
  const auto node = Text(pod, {"spec", "nodeName"});
  if (!node.empty()) {
    return Conflict(subject,
                    "pod " + name + " is already assigned to node \"" + std::string(node) + "\"");
  }
  const auto* gates = FindArray(pod, {"spec", "schedulingGates"});
  if (gates != nullptr && !gates->empty()) {
    return Conflict(subject, "pod " + name + " has non-empty .spec.schedulingGates");
  }
  return std::nullopt;
}

void LayOver(const json::object& binding, json::object& metadata, std::string_view field) {
  const auto* given = FindObject(binding, {"metadata", field});
  if (given == nullptr || given->empty()) return;
  auto& target = Make(metadata, {field});
  for (const auto& [name, value] : *given) target[name] = value;
}

void SetScheduled(json::object& pod, TimePoint now) {
  auto& status = Make(pod, {"status"});
  status.erase("nominatedNodeName");
  auto& conditions = MakeArray(status, "conditions");
  json::object scheduled{{"type", "PodScheduled"},
                         {"status", "True"},
                         {"lastProbeTime", nullptr},
                         {"lastTransitionTime", PrintTime(now)}};
  for (auto& condition : conditions) {
    if (Text(condition, {"type"}) != "PodScheduled") continue;
    condition = std::move(scheduled);
    return;
  }
  conditions.emplace_back(std::move(scheduled));
}

}  // namespace

Verdict BindPod(Objects& objects, const std::string& ns, const std::string& pod,
                const json::object& binding, bool is_dry_run) {
  if (auto refusal = CheckBinding(pod, binding)) return refusal;
  const auto decide = [&](const StoredObject* now) -> Answer<Next> {
    if (now == nullptr) return NotFound({.plural = "pods", .group = "", .name = pod});
    if (auto refusal = CheckPreconditions(binding, *now)) return *refusal;
    json::object bound = ParseStored(now->text);
    if (auto refusal = CheckPod(bound)) return *refusal;
    if (is_dry_run) return Next(Keep{});
    auto& spec = Make(bound, {"spec"});
    spec["nodeName"] = Text(binding, {"target", "name"});
    auto& metadata = Make(bound, {"metadata"});
    LayOver(binding, metadata, "annotations");
    LayOver(binding, metadata, "labels");
    SetScheduled(bound, objects.clock().WallTime());
    return Next(std::move(bound));
  };
  const auto written = objects.store().Write({.resource = "pods", .ns = ns, .name = pod}, decide);
  if (!written) return written.status();
  return std::nullopt;
}

}  // namespace gs::localcluster
