// Nodes, and the kinds that make pods.
#include <boost/json/value.hpp>
#include <set>
#include <string>

#include "adapters/localcluster/store/fields.h"
#include "adapters/localcluster/tables/age.h"
#include "adapters/localcluster/tables/cells.h"
#include "base/text.h"

namespace gs::localcluster {

using boost::json::array;
using boost::json::object;

namespace {

const array& TemplateContainers(const object& workload) {
  return ListAt(workload, {"spec", "template", "spec", "containers"});
}

std::string JobStatus(const object& job) {
  if (HasCondition(job, "Complete")) return "Complete";
  if (HasCondition(job, "Failed")) return "Failed";
  if (!FindText(job, {"metadata", "deletionTimestamp"}).empty()) return "Terminating";
  for (const std::string_view type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (HasCondition(job, type)) return std::string(type);
  }
  return "Running";
}

}  // namespace

array NodeCells(const object& node, TimePoint now) {
  std::string status = "Unknown";
  for (const auto& item : ListAt(node, {"status", "conditions"})) {
    if (FindText(ObjectIn(item), {"type"}) != "Ready") continue;
    status = FindText(ObjectIn(item), {"status"}) == "True" ? "Ready" : "NotReady";
  }
  if (FindBool(node, {"spec", "unschedulable"})) status += ",SchedulingDisabled";

  constexpr std::string_view kRolePrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  if (const auto* labels = FindObject(node, {"metadata", "labels"})) {
    for (const auto& [name, label] : *labels) {
      const std::string_view key = name;
      if (key.starts_with(kRolePrefix) && key.size() > kRolePrefix.size()) {
        roles.emplace(key.substr(kRolePrefix.size()));
      } else if (key == "kubernetes.io/role" && label.is_string() && !label.get_string().empty()) {
        roles.emplace(label.get_string());
      }
    }
  }
  const auto address = [&](std::string_view type) {
    for (const auto& item : ListAt(node, {"status", "addresses"})) {
      if (FindText(ObjectIn(item), {"type"}) == type) {
        return std::string(FindText(ObjectIn(item), {"address"}));
      }
    }
    return std::string("<none>");
  };
  const auto of_node = [&](std::string_view field) {
    return FindText(node, {"status", "nodeInfo", field});
  };
  std::string kernel = TextOr(of_node("kernelVersion"), "<unknown>");
  if (!of_node("architecture").empty()) kernel += " (" + std::string(of_node("architecture")) + ")";
  return {NameOf(node),
          status,
          TextOr(text::Join(roles, ",", [](const std::string& role) { return role; }), "<none>"),
          AgeOf(node, now),
          of_node("kubeletVersion"),
          address("InternalIP"),
          address("ExternalIP"),
          TextOr(of_node("osImage"), "<unknown>"),
          kernel,
          TextOr(of_node("containerRuntimeVersion"), "<unknown>")};
}

array DeploymentCells(const object& deployment, TimePoint now) {
  const auto& containers = TemplateContainers(deployment);
  return {NameOf(deployment),
          Fraction(IntAt(deployment, {"status", "readyReplicas"}),
                   IntAt(deployment, {"spec", "replicas"})),
          IntAt(deployment, {"status", "updatedReplicas"}),
          IntAt(deployment, {"status", "availableReplicas"}),
          AgeOf(deployment, now),
          Joined(containers, "name"),
          Joined(containers, "image"),
          PrintSelector(deployment, "")};
}

array StatefulSetCells(const object& set, TimePoint now) {
  const auto& containers = TemplateContainers(set);
  return {NameOf(set),
          Fraction(IntAt(set, {"status", "readyReplicas"}), IntAt(set, {"spec", "replicas"})),
          AgeOf(set, now), Joined(containers, "name"), Joined(containers, "image")};
}

array DaemonSetCells(const object& set, TimePoint now) {
  const auto& containers = TemplateContainers(set);
  return {NameOf(set),
          IntAt(set, {"status", "desiredNumberScheduled"}),
          IntAt(set, {"status", "currentNumberScheduled"}),
          IntAt(set, {"status", "numberReady"}),
          IntAt(set, {"status", "updatedNumberScheduled"}),
          IntAt(set, {"status", "numberAvailable"}),
          PrintLabels(set, {"spec", "template", "spec", "nodeSelector"}),
          AgeOf(set, now),
          Joined(containers, "name"),
          Joined(containers, "image"),
          PrintSelector(set, "<none>")};
}

array ReplicaSetCells(const object& set, TimePoint now) {
  const auto& containers = TemplateContainers(set);
  return {NameOf(set),
          IntAt(set, {"spec", "replicas"}),
          IntAt(set, {"status", "replicas"}),
          IntAt(set, {"status", "readyReplicas"}),
          AgeOf(set, now),
          Joined(containers, "name"),
          Joined(containers, "image"),
          PrintSelector(set, "<none>")};
}

array JobCells(const object& job, TimePoint now) {
  const std::int64_t succeeded = IntAt(job, {"status", "succeeded"});
  const std::int64_t parallelism = IntAt(job, {"spec", "parallelism"});
  const auto wanted = FindInt(job, {"spec", "completions"});
  std::string completions = Fraction(succeeded, wanted.value_or(1));
  if (!wanted && parallelism > 1) completions += " of " + std::to_string(parallelism);

  std::string duration;
  const auto started = ParseTime(FindText(job, {"status", "startTime"}));
  const auto finished = ParseTime(FindText(job, {"status", "completionTime"}));
  if (started) duration = PrintAge((finished ? *finished : now) - *started);
  const auto& containers = TemplateContainers(job);
  return {NameOf(job),
          JobStatus(job),
          completions,
          duration,
          AgeOf(job, now),
          Joined(containers, "name"),
          Joined(containers, "image"),
          PrintSelector(job, "<none>")};
}

}  // namespace gs::localcluster
