#include "adapters/localcluster/rules/workload_rules.h"

#include <boost/json/array.hpp>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/rules/metadata_rules.h"
#include "adapters/localcluster/rules/pod_rules.h"
#include "adapters/localcluster/rules/storage_rules.h"
#include "adapters/localcluster/select/label_selector.h"

namespace gs::localcluster {
namespace {

namespace json = boost::json;

constexpr int kHistory = 10;

void DefaultDeployment(json::object& spec) {
  SetDefault(spec, "replicas", 1);
  auto& strategy = Make(spec, {"strategy"});
  SetDefault(strategy, "type", "RollingUpdate");
  if (Text(strategy, {"type"}) == "RollingUpdate") {
    auto& rolling = Make(strategy, {"rollingUpdate"});
    SetDefault(rolling, "maxUnavailable", "25%");
    SetDefault(rolling, "maxSurge", "25%");
  }
  SetDefault(spec, "revisionHistoryLimit", kHistory);
  SetDefault(spec, "progressDeadlineSeconds", 600);
}

void DefaultStatefulSet(json::object& spec) {
  SetDefault(spec, "replicas", 1);
  SetDefault(spec, "podManagementPolicy", "OrderedReady");
  SetDefault(spec, "revisionHistoryLimit", kHistory);
  auto& strategy = Make(spec, {"updateStrategy"});
  SetDefault(strategy, "type", "RollingUpdate");
  if (Text(strategy, {"type"}) == "RollingUpdate") {
    SetDefault(Make(strategy, {"rollingUpdate"}), "partition", 0);
  }
  auto& retention = Make(spec, {"persistentVolumeClaimRetentionPolicy"});
  SetDefault(retention, "whenDeleted", "Retain");
  SetDefault(retention, "whenScaled", "Retain");
  auto* claims = FindArray(spec, {"volumeClaimTemplates"});
  if (claims == nullptr) return;
  for (auto& claim : *claims) {
    if (claim.is_object()) DefaultClaimTemplate(claim.get_object());
  }
}

void DefaultDaemonSet(json::object& spec) {
  SetDefault(spec, "revisionHistoryLimit", kHistory);
  auto& strategy = Make(spec, {"updateStrategy"});
  SetDefault(strategy, "type", "RollingUpdate");
  if (Text(strategy, {"type"}) == "RollingUpdate") {
    auto& rolling = Make(strategy, {"rollingUpdate"});
    SetDefault(rolling, "maxUnavailable", 1);
    SetDefault(rolling, "maxSurge", 0);
  }
}

// A job finds its pods by its own uid, unless the user insists on a selector.
void LabelJob(json::object& job) {
  auto& spec = Make(job, {"spec"});
  if (Bool(spec, {"manualSelector"})) return;
  const std::string uid(Text(job, {"metadata", "uid"}));
  const std::string name(Text(job, {"metadata", "name"}));
  auto& labels = Make(spec, {"template", "metadata", "labels"});
  for (const auto key : {"controller-uid", "batch.kubernetes.io/controller-uid"}) {
    SetDefault(labels, key, json::string(uid));
  }
  for (const auto key : {"job-name", "batch.kubernetes.io/job-name"})
    SetDefault(labels, key, json::string(name));
  SetDefault(Make(spec, {"selector", "matchLabels"}), "batch.kubernetes.io/controller-uid",
             json::string(uid));
}

void DefaultJob(const json::object* old, json::object& job) {
  auto& spec = Make(job, {"spec"});
  const bool is_single =
      Find(spec, {"completions"}) == nullptr && Find(spec, {"parallelism"}) == nullptr;
  if (is_single) SetDefault(spec, "completions", 1);
  SetDefault(spec, "parallelism", 1);
  SetDefault(spec, "completionMode", "NonIndexed");
  SetDefault(spec, "suspend", false);
  const bool is_per_index = Find(spec, {"backoffLimitPerIndex"}) != nullptr;
  SetDefault(spec, "backoffLimit", is_per_index ? 2147483647 : 6);
  const bool has_policy = Find(spec, {"podFailurePolicy"}) != nullptr;
  SetDefault(spec, "podReplacementPolicy", has_policy ? "Failed" : "TerminatingOrFailed");
  if (old == nullptr) LabelJob(job);
}

void CheckSelector(const Kind& kind, const json::object& spec, Faults& faults) {
  const auto* selector = Find(spec, {"selector"});
  if (selector == nullptr) {
    faults.Required("spec.selector");
    return;
  }
  const auto parsed = LabelSelector::FromObject(selector);
  if (!parsed) {
    faults.Invalid("spec.selector", *selector, parsed.error().message());
    return;
  }
  if (kind.kind != "Job" && parsed->matches_everything()) {
    faults.Invalid("spec.selector", *selector, "empty selector is invalid for " + kind.singular);
  }
  const auto* labels = Find(spec, {"template", "metadata", "labels"});
  if (!parsed->MatchesObject(labels)) {
    faults.Invalid("spec.template.metadata.labels",
                   labels == nullptr ? json::value(nullptr) : *labels,
                   "`selector` does not match template `labels`");
  }
}

void CheckHasLabel(const json::object& job, std::string_view label, std::string_view value,
                   Faults& faults) {
  const auto& labels = Members(job, {"spec", "template", "metadata", "labels"});
  const std::string field = "spec.template.metadata.labels[" + std::string(label) + "]";
  const std::string must = "must be '" + std::string(value) + "'";
  if (!labels.contains(label)) {
    faults.Required(field, must);
  } else if (Text(labels, {label}) != value) {
    faults.Invalid(field, labels, must);
  }
}

// Labels that a user has written into the template stay, and are wrong if they are not those which
// the job finds its pods by.
void CheckJobLabels(const json::object& job, Faults& faults) {
  const auto* selector = Find(job, {"spec", "selector"});
  if (Bool(job, {"spec", "manualSelector"}) || selector == nullptr) return;
  const auto uid = Text(job, {"metadata", "uid"});
  const auto name = Text(job, {"metadata", "name"});
  const json::object generated{{"controller-uid", uid},
                               {"job-name", name},
                               {"batch.kubernetes.io/controller-uid", uid},
                               {"batch.kubernetes.io/job-name", name}};
  for (const auto& [label, value] : generated) {
    CheckHasLabel(job, label, Text(value, {}), faults);
  }
  const auto parsed = LabelSelector::FromObject(selector);
  const json::value labels(generated);
  if (parsed && !parsed->MatchesObject(&labels)) {
    faults.Invalid("spec.selector", *selector, "`selector` not auto-generated");
  }
}

void CheckReplicas(const json::object& spec, std::string_view field, Faults& faults) {
  const auto* value = Find(spec, {field});
  if (value != nullptr && (!value->is_int64() || value->get_int64() < 0)) {
    faults.Invalid("spec." + std::string(field), *value, "must be greater than or equal to 0");
  }
}

void CheckRestart(const Kind& kind, const json::object& spec, Faults& faults) {
  const auto policy = Text(spec, {"template", "spec", "restartPolicy"});
  const std::string field = "spec.template.spec.restartPolicy";
  if (kind.kind == "Job") {
    if (policy != "OnFailure" && policy != "Never") {
      faults.Required(field, "valid values: \"OnFailure\", \"Never\"");
    }
  } else if (policy != "Always") {
    faults.Unsupported(field, policy, {"Always"});
  }
}

void CheckImmutable(const json::object& old, const json::object& workload, std::string_view part,
                    Faults& faults) {
  const auto* before = Find(old, {"spec", part});
  const auto* after = Find(workload, {"spec", part});
  if (before == nullptr || (after != nullptr && *before == *after)) return;
  faults.Invalid("spec." + std::string(part), after == nullptr ? json::value(nullptr) : *after,
                 "field is immutable");
}

// Of a stateful set only a few things can be changed.
void CheckStatefulSetUpdate(const json::object& old, const json::object& set, Faults& faults) {
  const auto rest = [](const json::object& object) {
    json::object spec;
    if (const auto* found = FindObject(object, {"spec"})) spec = *found;
    for (const auto field :
         {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
          "persistentVolumeClaimRetentionPolicy", "minReadySeconds"}) {
      spec.erase(field);
    }
    return spec;
  };
  if (rest(old) == rest(set)) return;
  faults.Forbidden("spec",
                   "updates to statefulset spec for fields other than 'replicas', 'ordinals', "
                   "'template', 'updateStrategy', 'revisionHistoryLimit', "
                   "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
}

}  // namespace

bool IsWorkload(const Kind& kind) {
  if (kind.group == "batch") return kind.kind == "Job";
  return kind.group == "apps" && kind.kind != "ControllerRevision";
}

void DefaultWorkload(const Kind& kind, const json::object* old, json::object& workload) {
  auto& spec = Make(workload, {"spec"});
  if (auto* pod = FindObject(spec, {"template", "spec"})) DefaultPodSpec(*pod);
  if (kind.kind == "Deployment") DefaultDeployment(spec);
  if (kind.kind == "ReplicaSet") SetDefault(spec, "replicas", 1);
  if (kind.kind == "StatefulSet") DefaultStatefulSet(spec);
  if (kind.kind == "DaemonSet") DefaultDaemonSet(spec);
  if (kind.kind == "Job") DefaultJob(old, workload);
}

void CheckWorkload(const Kind& kind, const json::object* old, const json::object& workload,
                   Faults& faults) {
  const auto* spec = FindObject(workload, {"spec"});
  if (spec == nullptr) return;
  for (const auto field : {"replicas", "parallelism", "completions"}) {
    CheckReplicas(*spec, field, faults);
  }
  CheckSelector(kind, *spec, faults);
  if (kind.kind == "Job" && old == nullptr) CheckJobLabels(workload, faults);
  CheckLabels(FindObject(*spec, {"template", "metadata", "labels"}),
              "spec.template.metadata.labels", faults);
  static const json::object kNone;
  const auto* pod = FindObject(*spec, {"template", "spec"});
  CheckPodSpec(pod == nullptr ? kNone : *pod, "spec.template.spec", faults);
  CheckRestart(kind, *spec, faults);
  if (old == nullptr) return;
  if (kind.kind == "StatefulSet") {
    CheckStatefulSetUpdate(*old, workload, faults);
  } else {
    CheckImmutable(*old, workload, "selector", faults);
  }
  if (kind.kind == "Job") CheckImmutable(*old, workload, "template", faults);
}

}  // namespace gs::localcluster
