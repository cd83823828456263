#include "adapters/kube/objects/any_pod_for_test.h"

#include <rapidcheck.h>

#include <boost/json/array.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/names.h"

namespace gs::kube {
namespace {

namespace names = model::names;
using boost::json::array;
using boost::json::object;
using rc::gen::arbitrary;

// With everything that has to be escaped, and not empty.
std::string AnyName() {
  const auto letters = rc::gen::element('a', 'Z', '7', '-', '/', '.', '"', '\\', '\n', ' ', '\t');
  return *rc::gen::nonEmpty(rc::gen::container<std::string>(letters));
}

std::string NameOrNothing() { return *arbitrary<bool>() ? AnyName() : ""; }

std::int64_t UpTo(std::int64_t limit) { return *rc::gen::inRange<std::int64_t>(0, limit + 1); }

template <class Make>
auto ListOf(Make make) {
  std::vector<decltype(make())> list(static_cast<std::size_t>(UpTo(3)));
  for (auto& item : list) item = make();
  return list;
}

model::Labels AnyLabels() {
  return model::Labels(ListOf([] { return std::pair(AnyName(), NameOrNothing()); }));
}

model::Labels AnyAnnotations() {
  model::Labels annotations;
  for (const auto name : {names::kMap, names::kClaim, names::kAllocated, names::kUuids}) {
    if (*arbitrary<bool>()) annotations.Set(name, NameOrNothing());
  }
  return annotations;
}

model::Requirement AnyRequirement() {
  const auto op = static_cast<model::SelectorOperator>(UpTo(5));
  return {AnyName(), op, ListOf(AnyName)};
}

model::Requirement AnyFieldRequirement() {
  auto requirement = AnyRequirement();
  requirement.key = model::kNodeNameField;
  return requirement;
}

model::Toleration AnyToleration() {
  model::Toleration toleration{.key = NameOrNothing(), .value = NameOrNothing()};
  toleration.op = static_cast<model::TolerationOperator>(UpTo(1));
  if (*arbitrary<bool>()) toleration.effect = static_cast<model::TaintEffect>(UpTo(2));
  return toleration;
}

// Without those that compare numbers.
model::LabelSelector AnySelector() {
  return {ListOf([] {
    const auto op = static_cast<model::SelectorOperator>(UpTo(3));
    return model::Requirement{AnyName(), op, ListOf(AnyName)};
  })};
}

std::optional<model::LabelSelector> SelectorOrNothing() {
  return *arbitrary<bool>() ? std::optional(AnySelector()) : std::nullopt;
}

model::PodAffinityTerm AnyPodTerm() {
  model::PodAffinityTerm term;
  term.selector = SelectorOrNothing();
  term.namespaces = ListOf([] { return Namespace(AnyName()); });
  term.namespace_selector = SelectorOrNothing();
  if (term.namespaces.empty() && !term.namespace_selector) {
    term.namespaces.emplace_back(AnyName());
  }
  term.topology_key = AnyName();
  return term;
}

model::SpreadConstraint AnyConstraint() {
  return {.topology_key = AnyName(),
          .max_skew = *arbitrary<std::int32_t>(),
          .min_domains = *arbitrary<std::int32_t>(),
          .selector = SelectorOrNothing(),
          .honours_affinity = *arbitrary<bool>(),
          .honours_taints = *arbitrary<bool>()};
}

model::PodTies AnyTies() {
  model::PodTies ties;
  ties.host_ports = ListOf([] {
    return model::HostPort{AnyName(), AnyName(), static_cast<std::int32_t>(UpTo(65534) + 1)};
  });
  ties.anti_affinity = ListOf(AnyPodTerm);
  return ties;
}

model::PlacementRules AnyRules() {
  model::PlacementRules rules;
  rules.node_selector = AnyLabels();
  rules.node_affinity = ListOf([] {
    return model::NodeSelectorTerm{ListOf(AnyRequirement), ListOf(AnyFieldRequirement)};
  });
  rules.tolerations = ListOf(AnyToleration);
  rules.gates = ListOf(AnyName);
  rules.preferred_nodes = ListOf([] {
    return model::PreferredNodes{*arbitrary<std::int32_t>(),
                                 {ListOf(AnyRequirement), ListOf(AnyFieldRequirement)}};
  });
  rules.pod_affinity = ListOf(AnyPodTerm);
  rules.spread = ListOf(AnyConstraint);
  if (*arbitrary<bool>()) rules.unsupported.emplace_back("spec.resourceClaims");
  return rules;
}

model::Resources AnyResources() {
  model::Resources resources;
  constexpr std::int64_t kMuch = std::int64_t{1} << 40;
  resources.cpu_milli = UpTo(kMuch);
  resources.memory_bytes = UpTo(kMuch);
  resources.gpus = UpTo(16);
  for (const auto& name : ListOf([] { return "x/" + AnyName(); })) {
    resources.others[name] = UpTo(kMuch);
  }
  return resources;
}

object ToJson(const model::Labels& labels) {
  object json;
  for (const auto& [name, value] : labels) json[name] = value;
  return json;
}

object ToJson(const model::Resources& resources) {
  object json{{"cpu", std::to_string(resources.cpu_milli) + "m"},
              {"memory", std::to_string(resources.memory_bytes)},
              {names::kGpuResource, std::to_string(resources.gpus)}};
  for (const auto& [name, amount] : resources.others) json[name] = std::to_string(amount);
  return json;
}

array ToJson(const std::vector<model::Requirement>& requirements) {
  array json;
  for (const auto& [key, op, values] : requirements) {
    json.push_back(object{
        {"key", key}, {"operator", ToString(op)}, {"values", array(values.begin(), values.end())}});
  }
  return json;
}

array ToJson(const std::vector<model::Toleration>& tolerations) {
  array json;
  for (const auto& toleration : tolerations) {
    object item{{"key", toleration.key}, {"value", toleration.value}};
    // Equal is what an absent operator means.
    if (toleration.op != model::TolerationOperator::kEqual) item["operator"] = "Exists";
    if (toleration.effect) item["effect"] = ToString(*toleration.effect);
    json.push_back(std::move(item));
  }
  return json;
}

object ToJson(const model::NodeSelectorTerm& term) {
  return {{"matchExpressions", ToJson(term.labels)}, {"matchFields", ToJson(term.fields)}};
}

void AddSelector(const std::optional<model::LabelSelector>& selector, std::string_view field,
                 object& json) {
  if (selector) json[field] = object{{"matchExpressions", ToJson(selector->requirements)}};
}

object Required(const std::vector<model::PodAffinityTerm>& terms) {
  array list;
  for (const auto& term : terms) {
    object item{{"topologyKey", term.topology_key}};
    AddSelector(term.selector, "labelSelector", item);
    AddSelector(term.namespace_selector, "namespaceSelector", item);
    array namespaces;
    for (const auto& ns : term.namespaces) namespaces.emplace_back(ns.text());
    item["namespaces"] = std::move(namespaces);
    list.push_back(std::move(item));
  }
  return {{"requiredDuringSchedulingIgnoredDuringExecution", std::move(list)}};
}

object NodeAffinityOf(const model::PlacementRules& rules) {
  object affinity;
  if (!rules.node_affinity.empty()) {
    array terms;
    for (const auto& term : rules.node_affinity) terms.push_back(ToJson(term));
    affinity["requiredDuringSchedulingIgnoredDuringExecution"] =
        object{{"nodeSelectorTerms", std::move(terms)}};
  }
  array wishes;
  for (const auto& [weight, term] : rules.preferred_nodes) {
    wishes.push_back(object{{"weight", weight}, {"preference", ToJson(term)}});
  }
  affinity["preferredDuringSchedulingIgnoredDuringExecution"] = std::move(wishes);
  return affinity;
}

array SpreadOf(const std::vector<model::SpreadConstraint>& spread) {
  array list;
  for (const auto& constraint : spread) {
    object item{{"topologyKey", constraint.topology_key},
                {"whenUnsatisfiable", "DoNotSchedule"},
                {"maxSkew", constraint.max_skew},
                {"minDomains", constraint.min_domains},
                {"nodeAffinityPolicy", constraint.honours_affinity ? "Honor" : "Ignore"},
                {"nodeTaintsPolicy", constraint.honours_taints ? "Honor" : "Ignore"}};
    AddSelector(constraint.selector, "labelSelector", item);
    list.push_back(std::move(item));
  }
  return list;
}

array PortsOf(const std::vector<model::HostPort>& ports) {
  array list;
  for (const auto& port : ports) {
    list.push_back(
        object{{"hostIP", port.ip}, {"protocol", port.protocol}, {"hostPort", port.port}});
  }
  return list;
}

void AddRules(const model::Pod& pod, object& spec) {
  const model::PlacementRules& rules = *pod.rules;
  spec["nodeSelector"] = ToJson(rules.node_selector);
  spec["affinity"] = object{{"nodeAffinity", NodeAffinityOf(rules)},
                            {"podAffinity", Required(rules.pod_affinity)},
                            {"podAntiAffinity", Required(pod.ties->anti_affinity)}};
  spec["topologySpreadConstraints"] = SpreadOf(rules.spread);
  spec["tolerations"] = ToJson(rules.tolerations);
  array gates;
  for (const auto& gate : rules.gates) gates.push_back(object{{"name", gate}});
  spec["schedulingGates"] = std::move(gates);
  for (const auto& field : rules.unsupported) spec[field.substr(5)] = array{object()};
}

object MetadataOf(const model::Pod& pod) {
  object metadata{{"namespace", pod.ref.ns.text()},
                  {"name", pod.ref.name.text()},
                  {"uid", pod.ref.uid.text()},
                  {"resourceVersion", pod.resource_version.text()},
                  {"creationTimestamp", PrintTime(pod.created)},
                  {"labels", ToJson(pod.labels)},
                  {"annotations", ToJson(pod.annotations)}};
  metadata["annotations"].get_object()["somebody/else"] = "x";
  if (pod.is_terminating) metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  array owners{object{{"kind", "Node"}, {"uid", "n"}}};
  if (pod.controller) {
    owners.push_back(object{{"kind", pod.controller->kind.text()},
                            {"uid", pod.controller->uid.text()},
                            {"controller", true}});
  }
  metadata["ownerReferences"] = std::move(owners);
  return metadata;
}

object SpecOf(const model::Pod& pod) {
  object container{{"name", "main"},
                   {"ports", PortsOf(pod.ties->host_ports)},
                   {"resources", object{{"requests", ToJson(pod.requests)}}}};
  if (pod.has_visible_devices_variable) {
    container["env"] = array{object{{"name", names::kVisibleDevicesVariable}}};
  }
  object spec{{"schedulerName", pod.scheduler.text()},
              {"nodeName", pod.node.text()},
              {"priority", pod.priority},
              {"containers", array{std::move(container)}}};
  AddRules(pod, spec);
  return spec;
}

object StatusOf(const model::Pod& pod) {
  object status{{"phase", ToString(pod.phase)}, {"nominatedNodeName", pod.nominated_node.text()}};
  const char* state = pod.had_running_container ? "running" : "waiting";
  status["containerStatuses"] =
      array{object{{"name", "main"}, {"state", object{{state, object()}}}}};
  if (pod.scheduled.status != model::ConditionStatus::kAbsent) {
    status["conditions"] = array{object{{"type", "PodScheduled"},
                                        {"status", ToString(pod.scheduled.status)},
                                        {"reason", pod.scheduled.reason.text()},
                                        {"message", pod.scheduled.message.text()}}};
  }
  return status;
}

}  // namespace

model::Pod AnyPod() {
  model::Pod pod;
  pod.ref = {Namespace(AnyName()), PodName(AnyName()), PodUid(AnyName())};
  pod.resource_version = ResourceVersion(NameOrNothing());
  pod.scheduler = SchedulerName(NameOrNothing());
  pod.node = NodeName(NameOrNothing());
  pod.phase = static_cast<model::PodPhase>(UpTo(4));
  pod.is_terminating = *arbitrary<bool>();
  pod.priority = *arbitrary<std::int32_t>();
  pod.created = TimePoint(std::chrono::seconds(UpTo(4'000'000'000)));
  if (*arbitrary<bool>())
    pod.controller = model::Controller{NameOrNothing(), ControllerUid(AnyName())};
  pod.labels = AnyLabels();
  pod.annotations = AnyAnnotations();
  pod.requests = AnyResources();
  if (!pod.is_bound()) pod.rules = AnyRules();
  pod.ties = AnyTies();
  pod.nominated_node = NodeName(NameOrNothing());
  if (*arbitrary<bool>()) {
    pod.scheduled = {static_cast<model::ConditionStatus>(UpTo(2) + 1), NameOrNothing(),
                     NameOrNothing()};
  }
  pod.has_visible_devices_variable = *arbitrary<bool>();
  pod.had_running_container = *arbitrary<bool>();
  return pod;
}

object PodJson(const model::Pod& pod) {
  return {{"metadata", MetadataOf(pod)}, {"spec", SpecOf(pod)}, {"status", StatusOf(pod)}};
}

}  // namespace gs::kube
