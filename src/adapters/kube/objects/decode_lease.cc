#include <string>
#include <utility>

#include "adapters/json/object_reader.h"
#include "adapters/kube/objects/decode.h"
#include "adapters/kube/objects/decode_object.h"
#include "base/gpu_ids.h"
#include "base/parse.h"
#include "core/model/names.h"

namespace gs::kube {
namespace {

namespace names = model::names;

model::LeaseHolder ReadHolder(const JsonView& item) {
  model::LeaseHolder holder;
  holder.pod.ns = Namespace(item.Field("namespace").RequiredText());
  holder.pod.name = PodName(item.Field("name").RequiredText());
  holder.pod.uid = PodUid(item.Field("uid").RequiredText());
  holder.attempt = AttemptId(item.Field("attempt").Text());
  const JsonView plan = item.Field("plan");
  auto ids = ParseGpuIds(plan.RequiredText());
  if (ids) {
    holder.plan = *std::move(ids);
  } else {
    plan.Fail(ToString(ids.error()));
  }
  return holder;
}

// The annotation holds JSON of its own. What somebody has written over it names nobody, so that its
// owner puts it right; a Lease that is refused as a whole would stay as it is.
std::vector<model::LeaseHolder> ReadHolders(const JsonView& annotation) {
  const auto document = JsonDocument::Parse(annotation.Text());
  if (!document) return {};
  std::vector<model::LeaseHolder> holders;
  for (const JsonView& item : document->root().Items()) holders.push_back(ReadHolder(item));
  return document->Finish() ? holders : std::vector<model::LeaseHolder>();
}

GpuId ReadGpu(const JsonView& annotation) {
  const auto number = ParseInt32(annotation.RequiredText(), {.min = 0, .max = kMaxGpuId});
  if (!number) annotation.Fail(ToString(number.error()));
  return GpuId(number ? *number : 0);
}

model::AllocationMode ReadMode(const JsonView& annotation) {
  const std::string word = annotation.RequiredText();
  const auto mode = model::ParseAllocationMode(word);
  if (!mode) annotation.Fail("expected exclusive, shared or map, got " + json::Quoted(word));
  return mode.value_or(model::AllocationMode::kExclusive);
}

void CheckFormat(const JsonView& annotation) {
  const std::string format = annotation.RequiredText();
  if (format == names::kLeaseFormat) return;
  annotation.Fail(
      "expected format " + std::string(names::kLeaseFormat) + ", got " + json::Quoted(format),
      "another version wrote this lock; use that version to release it");
}

model::GpuLease ReadLease(const JsonView& root) {
  const JsonView metadata = root.Field("metadata");
  const JsonView annotations = metadata.Field("annotations");
  CheckFormat(annotations.Field(names::kFormatAnnotation));
  model::GpuLease lease;
  lease.name = LeaseName(metadata.Field("name").RequiredText());
  lease.uid = LeaseUid(metadata.Field("uid").Text());
  lease.resource_version = ResourceVersion(metadata.Field("resourceVersion").Text());
  lease.node = NodeName(annotations.Field(names::kNodeAnnotation).RequiredText());
  lease.gpu = ReadGpu(annotations.Field(names::kGpuAnnotation));
  lease.scheduler = SchedulerName(annotations.Field(names::kSchedulerAnnotation).RequiredText());
  lease.mode = ReadMode(annotations.Field(names::kModeAnnotation));
  lease.controller = ControllerUid(annotations.Field(names::kControllerAnnotation).Text());
  lease.holders = ReadHolders(annotations.Field(names::kHoldersAnnotation));
  return lease;
}

}  // namespace

Result<model::GpuLease> DecodeLease(const JsonSource& json) {
  return DecodeObject<model::GpuLease>("lease", json, ReadLease);
}

}  // namespace gs::kube
