// Nodes, and the kinds that make pods.
#include <boost/json/value.hpp>
#include <set>
#include <string>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/tables/age.h"
#include "adapters/localcluster/tables/cells.h"
#include "base/text.h"

namespace gs::localcluster {

using boost::json::array;
using boost::json::object;

namespace {

const array& TemplateContainers(const object& workload) {
  return Items(workload, {"spec", "template", "spec", "containers"});
}

std::string JobStatus(const object& job) {
  if (HasCondition(job, "Complete")) return "Complete";
  if (HasCondition(job, "Failed")) return "Failed";
  if (!Text(job, {"metadata", "deletionTimestamp"}).empty()) return "Terminating";
  for (const std::string_view type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (HasCondition(job, type)) return std::string(type);
  }
  return "Running";
}

}  // namespace

array NodeCells(const object& node, TimePoint now) {
  std::string status = "Unknown";
  for (const auto& item : Items(node, {"status", "conditions"})) {
    if (Text(item, {"type"}) != "Ready") continue;
    status = Text(item, {"status"}) == "True" ? "Ready" : "NotReady";
  }
  if (Bool(node, {"spec", "unschedulable"})) status += ",SchedulingDisabled";

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
    for (const auto& item : Items(node, {"status", "addresses"})) {
      if (Text(item, {"type"}) == type) {
        return std::string(Text(item, {"address"}));
      }
    }
    return std::string("<none>");
  };
  const auto of_node = [&](std::string_view field) {
    return Text(node, {"status", "nodeInfo", field});
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
  return {
      NameOf(deployment),
      Fraction(Int(deployment, {"status", "readyReplicas"}), Int(deployment, {"spec", "replicas"})),
      Int(deployment, {"status", "updatedReplicas"}),
      Int(deployment, {"status", "availableReplicas"}),
      AgeOf(deployment, now),
      Joined(containers, "name"),
      Joined(containers, "image"),
      PrintSelector(deployment, "")};
}

array StatefulSetCells(const object& set, TimePoint now) {
  const auto& containers = TemplateContainers(set);
  return {NameOf(set),
          Fraction(Int(set, {"status", "readyReplicas"}), Int(set, {"spec", "replicas"})),
          AgeOf(set, now), Joined(containers, "name"), Joined(containers, "image")};
}

array DaemonSetCells(const object& set, TimePoint now) {
  const auto& containers = TemplateContainers(set);
  return {NameOf(set),
          Int(set, {"status", "desiredNumberScheduled"}),
          Int(set, {"status", "currentNumberScheduled"}),
          Int(set, {"status", "numberReady"}),
          Int(set, {"status", "updatedNumberScheduled"}),
          Int(set, {"status", "numberAvailable"}),
          PrintLabels(set, {"spec", "template", "spec", "nodeSelector"}),
          AgeOf(set, now),
          Joined(containers, "name"),
          Joined(containers, "image"),
          PrintSelector(set, "<none>")};
}

array ReplicaSetCells(const object& set, TimePoint now) {
  const auto& containers = TemplateContainers(set);
  return {NameOf(set),
          Int(set, {"spec", "replicas"}),
          Int(set, {"status", "replicas"}),
          Int(set, {"status", "readyReplicas"}),
          AgeOf(set, now),
          Joined(containers, "name"),
          Joined(containers, "image"),
          PrintSelector(set, "<none>")};
}

array JobCells(const object& job, TimePoint now) {
  const std::int64_t succeeded = Int(job, {"status", "succeeded"});
  const std::int64_t parallelism = Int(job, {"spec", "parallelism"});
  const auto wanted = MaybeInt(job, {"spec", "completions"});
  std::string completions = Fraction(succeeded, wanted.value_or(1));
  if (!wanted && parallelism > 1) completions += " of " + std::to_string(parallelism);

  std::string duration;
  const auto started = ParseTime(Text(job, {"status", "startTime"}));
  const auto finished = ParseTime(Text(job, {"status", "completionTime"}));
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
