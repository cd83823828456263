#include "adapters/kube/fence/fence_lease.h"

#include <boost/json/object.hpp>
#include <utility>

#include "adapters/kube/fence/lease_json.h"
#include "adapters/kube/objects/decode_object.h"
#include "base/parse.h"

namespace gs::kube {
namespace {

constexpr std::string_view kUnsettledAnnotation = "gpu.scheduling/unsettled";
// How many records there are, so that one that somebody removes is missed.
constexpr std::string_view kReleasesAnnotation = "gpu.scheduling/releases";

using Annotations = std::map<std::string, std::string>;

Annotations AnnotationsOf(const FenceLease& fence) {
  Annotations annotations = fence.metadata.annotations;
  for (const auto& [key, record] : fence.records) annotations[key] = PrintRecord(record);
  for (const auto& [key, text] : fence.unreadable) annotations[key] = text;
  if (fence.unsettled) annotations[std::string(kUnsettledAnnotation)] = *fence.unsettled;
  annotations[std::string(kReleasesAnnotation)] =
      std::to_string(fence.records.size() + fence.unreadable.size());
  return annotations;
}

// For people who list Leases.
std::string HolderColumn(const FenceLease& fence) {
  std::string column;
  for (const auto& [key, record] : fence.records) {
    if (!record.is_held()) continue;
    if (!column.empty()) column += ", ";
    column += record.holder_pod.empty() ? record.holder.pod.text() : record.holder_pod.text();
  }
  return column;
}

std::optional<std::string> Take(std::string_view name, Annotations& annotations) {
  auto taken = annotations.extract(std::string(name));
  if (taken.empty()) return std::nullopt;
  return std::move(taken.mapped());
}

void TakeRecord(const std::string& key, std::string text, FenceLease& fence) {
  auto record = ParseRecord(text);
  const bool is_in_place = record && RecordKey(record->scheduler) == key;
  if (is_in_place) {
    fence.records[key] = *std::move(record);
  } else {
    fence.unreadable[key] = std::move(text);
  }
}

void TakeRecords(FenceLease& fence) {
  Annotations& annotations = fence.metadata.annotations;
  for (auto next = annotations.begin(); next != annotations.end();) {
    const auto here = next++;
    if (!IsRecordKey(here->first)) continue;
    auto taken = annotations.extract(here);
    TakeRecord(taken.key(), std::move(taken.mapped()), fence);
  }
}

FenceLease ReadFenceLease(const JsonView& root) {
  FenceLease fence{.metadata = ReadLeaseMetadata(root.Field("metadata"))};
  LeaseMetadata& metadata = fence.metadata;
  metadata.labels.erase(std::string(kRoleLabel));
  fence.unsettled = Take(kUnsettledAnnotation, metadata.annotations);
  const auto releases = Take(kReleasesAnnotation, metadata.annotations);
  TakeRecords(fence);
  const std::size_t found = fence.records.size() + fence.unreadable.size();
  const bool is_complete = found > 0 && releases == std::to_string(found);
  // Whoever writes from this version next writes this mark, and nobody finds it without one again.
  if (!is_complete && !fence.unsettled) {
    fence.unsettled = "incomplete at " + metadata.resource_version.text();
  }
  return fence;
}

}  // namespace

const ReleaseRecord* FindRecord(const FenceLease& fence, const SchedulerName& scheduler) {
  const auto found = fence.records.find(RecordKey(scheduler));
  const bool is_theirs = found != fence.records.end() && found->second.scheduler == scheduler;
  return is_theirs ? &found->second : nullptr;
}

std::size_t AnnotationBytes(const FenceLease& fence) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : AnnotationsOf(fence)) bytes += name.size() + value.size();
  return bytes;
}

std::string EncodeFenceLease(const FenceLease& fence) {
  LeaseMetadata metadata = fence.metadata;
  metadata.labels[std::string(kRoleLabel)] = kFenceRole;
  metadata.annotations = AnnotationsOf(fence);
  boost::json::object spec;
  AddUnlessEmpty("holderIdentity", HolderColumn(fence), spec);
  return PrintLease(metadata, spec);
}

Result<FenceLease> DecodeFenceLease(std::string_view json) {
  return DecodeObject<FenceLease>("fence", json, ReadFenceLease);
}

}  // namespace gs::kube
