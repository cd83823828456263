#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "adapters/kube/objects/decode.h"
#include "adapters/kube/objects/decode_object.h"
#include "adapters/kube/objects/pod_requests.h"
#include "base/time.h"
#include "core/model/names.h"

namespace gs::kube {
namespace {

namespace names = model::names;

constexpr std::array kOurAnnotations{
    names::kMap,   names::kClaim,      names::kAllocated, names::kVisibleDevices,
    names::kUuids, names::kAllocation, names::kPodIndex,  names::kCompletionIndex,
};

std::map<std::string, std::string> ReadAnnotations(const JsonView& annotations) {
  std::map<std::string, std::string> ours;
  for (const auto name : kOurAnnotations) {
    const JsonView annotation = annotations.Field(name);
    if (annotation.is_present()) ours.emplace(name, annotation.Text());
  }
  return ours;
}

// At most one owner is the controller.
std::optional<model::Controller> ReadController(const JsonView& owners) {
  for (const JsonView& owner : owners.Items()) {
    if (!owner.Field("controller").Bool()) continue;
    return model::Controller{.kind = owner.Field("kind").Text(),
                             .uid = ControllerUid(owner.Field("uid").RequiredText())};
  }
  return std::nullopt;
}

TimePoint ReadTime(const JsonView& time) {
  if (!time.is_present()) return {};
  const auto point = ParseTime(time.Text());
  if (!point) time.Fail(ToString(point.error()));
  return point ? *point : TimePoint{};
}

// A phase that is not known yet holds its GPUs: only Succeeded and Failed free them.
model::PodPhase ReadPhase(const JsonView& phase) {
  const std::string word = phase.Text();
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
  pod.labels = metadata.Field("labels").Texts();
  pod.annotations = ReadAnnotations(metadata.Field("annotations"));
}

model::Pod ReadPod(const JsonView& root) {
  model::Pod pod;
  ReadMetadata(root.Field("metadata"), pod);
  const JsonView spec = root.Field("spec");
  pod.scheduler = SchedulerName(spec.Field("schedulerName").Text());
  pod.node = NodeName(spec.Field("nodeName").Text());
  pod.priority = static_cast<std::int32_t>(spec.Field("priority").Int(kInt32Range, 0));
  pod.phase = ReadPhase(root.Field("status").Field("phase"));
  pod.requests = PodRequests(root);
  return pod;
}

}  // namespace

Result<model::Pod> DecodePod(std::string_view json) {
  return DecodeObject<model::Pod>("pod", json, ReadPod);
}

}  // namespace gs::kube
