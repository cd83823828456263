#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/kube/objects/decode.h"
#include "adapters/kube/objects/decode_object.h"
#include "adapters/kube/objects/placement_rules.h"
#include "adapters/kube/objects/pod_requests.h"
#include "adapters/kube/objects/pod_ties.h"
#include "adapters/kube/objects/pod_volumes.h"
#include "base/time.h"
#include "core/admit/variables.h"
#include "core/model/gpu_resource.h"
#include "core/model/names.h"

namespace gs::kube {
namespace {

namespace names = model::names;

constexpr std::array kOurAnnotations{
    names::kMap,   names::kClaim,      names::kAllocated, names::kVisibleDevices,
    names::kUuids, names::kAllocation, names::kPodIndex,  names::kCompletionIndex,
};

model::Labels ReadAnnotations(const JsonView& annotations) {
  std::vector<model::Labels::value_type> ours;
  for (const auto name : kOurAnnotations) {
    const JsonView annotation = annotations.Field(name);
    if (annotation.is_present()) ours.emplace_back(name, annotation.Word());
  }
  ours.shrink_to_fit();
  return model::Labels(std::move(ours));
}

// At most one owner is the controller.
Shared<model::Controller> ReadController(const JsonView& owners) {
  for (const JsonView& owner : owners.Items()) {
    if (!owner.Field("controller").Bool()) continue;
    return model::Controller{.kind = owner.Field("kind").Text(),
                             .uid = ControllerUid(owner.Field("uid").RequiredText())};
  }
  return {};
}

TimePoint ReadTime(const JsonView& time) {
  if (!time.is_present()) return {};
  const auto point = ParseTime(time.Word());
  if (!point) time.Fail(ToString(point.error()));
  return point ? *point : TimePoint{};
}

// A phase that is not known yet holds its GPUs: only Succeeded and Failed free them.
model::PodPhase ReadPhase(const JsonView& phase) {
  const std::string_view word = phase.Word();
  if (word.empty()) return model::PodPhase::kPending;
  return model::ParsePodPhase(word).value_or(model::PodPhase::kUnknown);
}

void ReadMetadata(const JsonView& metadata, model::Pod& pod) {
  pod.ref.ns = Namespace(metadata.Field("namespace").RequiredText());
  pod.ref.name = PodName(metadata.Field("name").RequiredText());
  pod.ref.uid = PodUid(metadata.Field("uid").RequiredText());
  pod.resource_version = ResourceVersion(metadata.Field("resourceVersion").Text());
  pod.is_terminating = metadata.Field("deletionTimestamp").is_present();
  pod.created = ReadTime(metadata.Field("creationTimestamp"));
  pod.controller = ReadController(metadata.Field("ownerReferences"));
  pod.labels = ReadLabels(metadata.Field("labels"));
  pod.annotations = ReadAnnotations(metadata.Field("annotations"));
}

bool IsFrom(const JsonView& variable, std::string_view annotation) {
  const std::string_view path =
      variable.Field("valueFrom").Field("fieldRef").Field("fieldPath").Word();
  return path == "metadata.annotations['" + std::string(annotation) + "']";
}

// A number of the user's own would lead to GPUs of others, unless a device plugin filters.
bool TellsGpus(const JsonView& variable, bool is_counted) {
  const std::string_view name = variable.Field("name").Word();
  if (name == admit::kRuntimeDevicesVariable) return IsFrom(variable, names::kUuids);
  if (name != names::kVisibleDevicesVariable) return false;
  if (variable.Field("valueFrom").is_present()) return IsFrom(variable, names::kVisibleDevices);
  return is_counted || variable.Field("value").Word().empty();
}

// What it has of whole GPUs is told by the webhook, and of parts by their device plugin.
bool HasVisibleDevicesVariable(const JsonView& container) {
  bool has_whole_gpus = false;
  bool has_gpus = false;
  for (const auto& [name, amount] : container.Field("resources").Field("requests").Members()) {
    has_whole_gpus = has_whole_gpus || model::IsWholeGpuResource(name);
    has_gpus = has_gpus || model::IsGpuResource(name);
  }
  if (has_gpus && !has_whole_gpus) return true;
  for (const JsonView& variable : container.Field("env").Items()) {
    if (TellsGpus(variable, has_whole_gpus)) return true;
  }
  return false;
}

// Of every container: the webhook leaves none out.
bool HaveVisibleDevicesVariable(const JsonView& spec) {
  const auto containers = spec.Field("containers").Items();
  const auto init_containers = spec.Field("initContainers").Items();
  return !containers.empty() &&
         std::all_of(containers.begin(), containers.end(), HasVisibleDevicesVariable) &&
         std::all_of(init_containers.begin(), init_containers.end(), HasVisibleDevicesVariable);
}

// A container that has ended before may have been started again since the status was written.
bool HadRun(const JsonView& status) {
  if (status.Field("state").Field("running").is_present()) return true;
  const JsonView last = status.Field("lastState");
  return last.Field("running").is_present() || last.Field("terminated").is_present();
}

// A kubelet declares a pod terminal when all its containers have ended, and says so of each.
bool HadRunInTerminalPod(const JsonView& status) {
  return !status.Field("state").Field("terminated").is_present() && HadRun(status);
}

bool HadRunningContainer(const JsonView& status, bool is_terminal) {
  const auto had_run = is_terminal ? HadRunInTerminalPod : HadRun;
  for (const auto* list :
       {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
    const auto statuses = status.Field(list).Items();
    if (std::any_of(statuses.begin(), statuses.end(), had_run)) return true;
  }
  return false;
}

model::ScheduledCondition ReadScheduled(const JsonView& conditions) {
  for (const JsonView& condition : conditions.Items()) {
    if (condition.Field("type").Word() != "PodScheduled") continue;
    const auto status = model::ParseConditionStatus(condition.Field("status").Word());
    return {.status = status.value_or(model::ConditionStatus::kUnknown),
            .reason = condition.Field("reason").Text(),
            .message = condition.Field("message").Text(),
            .since = ReadTime(condition.Field("lastTransitionTime"))};
  }
  return {};
}

void ReadStatus(const JsonView& status, model::Pod& pod) {
  pod.phase = ReadPhase(status.Field("phase"));
  pod.nominated_node = NodeName(status.Field("nominatedNodeName").Text());
  pod.scheduled = ReadScheduled(status.Field("conditions"));
  pod.had_running_container = HadRunningContainer(status, pod.is_terminal());
}

model::Pod ReadPod(const JsonView& root) {
  model::Pod pod;
  ReadMetadata(root.Field("metadata"), pod);
  const JsonView spec = root.Field("spec");
  pod.scheduler = SchedulerName(spec.Field("schedulerName").Text());
  pod.node = NodeName(spec.Field("nodeName").Text());
  pod.priority = static_cast<std::int32_t>(spec.Field("priority").Int(kInt32Range, 0));
  pod.has_visible_devices_variable = HaveVisibleDevicesVariable(spec);
  const PodIdentity self{pod.ref.ns, pod.labels};
  if (!pod.is_bound()) pod.rules = ReadPlacementRules(spec, self);
  model::PodTies ties = ReadPodTies(spec, self);
  ReadPodVolumes(spec.Field("volumes"), pod.ref.name.text(), ties);
  pod.ties = std::move(ties);
  pod.requests = PodRequests(root);
  ReadStatus(root.Field("status"), pod);
  return pod;
}

}  // namespace

Result<model::Pod> DecodePod(const JsonSource& json) {
  return DecodeObject<model::Pod>("pod", json, ReadPod);
}

}  // namespace gs::kube
