#include "adapters/kube/election/election_lease.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstddef>
#include <limits>
#include <utility>

#include "adapters/kube/objects/decode_object.h"
#include "base/parse.h"
#include "base/stable_hash.h"
#include "core/model/names.h"

namespace gs::kube {
namespace {

constexpr std::string_view kDefaultScheduler = "gpu-scheduler";
constexpr std::string_view kDefaultName = "scheduler-leader";
constexpr std::size_t kHashDigits = 8;

constexpr std::string_view kHolderPodAnnotation = "gpu.scheduling/holder-pod";
constexpr std::string_view kProcessAnnotation = "gpu.scheduling/process";
constexpr std::string_view kLockNamespaceAnnotation = "gpu.scheduling/lock-namespace";
constexpr std::string_view kWriteAnnotation = "gpu.scheduling/write";
constexpr std::string_view kInFlightFormatAnnotation = "gpu.scheduling/in-flight-format";
// [{"namespace": "team", "name": "a", "uid": "..."}]
constexpr std::string_view kInFlightAnnotation = "gpu.scheduling/in-flight";
constexpr std::string_view kInFlightFormat = "1";

constexpr std::array kOurAnnotations{
    kHolderPodAnnotation,     kProcessAnnotation, model::names::kSchedulerAnnotation,
    kLockNamespaceAnnotation, kWriteAnnotation,   kInFlightFormatAnnotation,
    kInFlightAnnotation,
};

constexpr IntegerRange kNotNegative32{.min = 0, .max = std::numeric_limits<std::int32_t>::max()};
constexpr IntegerRange kNotNegative{.min = 0};

std::string PrintPods(const std::vector<model::PodRef>& pods) {
  boost::json::array list;
  for (const auto& pod : pods) {
    list.push_back(boost::json::object{
        {"namespace", pod.ns.text()}, {"name", pod.name.text()}, {"uid", pod.uid.text()}});
  }
  return boost::json::serialize(list);
}

void AddInFlight(const InFlightList& list, boost::json::object& annotations) {
  if (const auto* pods = std::get_if<std::vector<model::PodRef>>(&list)) {
    annotations[kInFlightFormatAnnotation] = kInFlightFormat;
    annotations[kInFlightAnnotation] = PrintPods(*pods);
    return;
  }
  const auto& unreadable = std::get<UnreadableList>(list);
  if (unreadable.format) annotations[kInFlightFormatAnnotation] = *unreadable.format;
  if (unreadable.pods) annotations[kInFlightAnnotation] = *unreadable.pods;
}

void AddUnlessEmpty(std::string_view name, const std::string& text, boost::json::object& object) {
  if (!text.empty()) object[name] = text;
}

boost::json::object LabelsOf(const ElectionLease& lease) {
  boost::json::object labels;
  for (const auto& [name, value] : lease.other_labels) labels[name] = value;
  labels[kRoleLabel] = kElectionRole;
  return labels;
}

boost::json::object AnnotationsOf(const ElectionLease& lease) {
  boost::json::object annotations;
  for (const auto& [name, value] : lease.other_annotations) annotations[name] = value;
  AddUnlessEmpty(kHolderPodAnnotation, lease.holder_pod.text(), annotations);
  AddUnlessEmpty(kProcessAnnotation, lease.holder.process, annotations);
  AddUnlessEmpty(model::names::kSchedulerAnnotation, lease.scheduler.text(), annotations);
  AddUnlessEmpty(kLockNamespaceAnnotation, lease.lock_namespace.text(), annotations);
  if (lease.write > 0) annotations[kWriteAnnotation] = std::to_string(lease.write);
  AddInFlight(lease.in_flight, annotations);
  return annotations;
}

boost::json::object MetadataOf(const ElectionLease& lease) {
  boost::json::object metadata{{"name", lease.name.text()},
                               {"namespace", lease.ns.text()},
                               {"labels", LabelsOf(lease)},
                               {"annotations", AnnotationsOf(lease)}};
  AddUnlessEmpty("uid", lease.uid.text(), metadata);
  AddUnlessEmpty("resourceVersion", lease.resource_version.text(), metadata);
  return metadata;
}

boost::json::object SpecOf(const ElectionLease& lease) {
  boost::json::object spec{{"leaseTransitions", lease.transitions}};
  AddUnlessEmpty("holderIdentity", lease.holder.pod.text(), spec);
  if (lease.duration.count() > 0) spec["leaseDurationSeconds"] = lease.duration.count();
  if (lease.acquired) spec["acquireTime"] = PrintTime(*lease.acquired, TimeDetail::kMicros);
  if (lease.renewed) spec["renewTime"] = PrintTime(*lease.renewed, TimeDetail::kMicros);
  return spec;
}

// Times and counters of others are never relied on, so a strange one is as good as none.
std::optional<TimePoint> ReadTime(const JsonView& field) {
  const auto time = ParseTime(field.Text());
  if (!time) return std::nullopt;
  return std::chrono::time_point_cast<std::chrono::microseconds>(*time);
}

std::int64_t ReadWrite(const JsonView& annotation) {
  const auto write = ParseInt64(annotation.Text(), kNotNegative);
  return write ? *write : 0;
}

std::optional<std::vector<model::PodRef>> ParsePods(const std::string& text) {
  const auto document = JsonDocument::Parse(text);
  if (!document) return std::nullopt;
  std::vector<model::PodRef> pods;
  for (const JsonView& item : document->root().Items()) {
    pods.push_back({Namespace(item.Field("namespace").RequiredText()),
                    PodName(item.Field("name").RequiredText()),
                    PodUid(item.Field("uid").RequiredText())});
  }
  if (!document->Finish()) return std::nullopt;
  return pods;
}

// `null` reads as an empty list of items, and says nothing about pods.
bool IsList(const std::string& text) { return text.starts_with('['); }

// A Lease without a list may be one that was wiped or made again, so that is no empty list.
InFlightList ReadInFlight(const std::map<std::string, std::string>& annotations) {
  const auto find = [&annotations](std::string_view name) -> std::optional<std::string> {
    const auto found = annotations.find(std::string(name));
    if (found == annotations.end()) return std::nullopt;
    return found->second;
  };
  UnreadableList raw{.format = find(kInFlightFormatAnnotation), .pods = find(kInFlightAnnotation)};
  if (raw.format != kInFlightFormat || !raw.pods || !IsList(*raw.pods)) return raw;
  auto pods = ParsePods(*raw.pods);
  if (!pods) return raw;
  return *std::move(pods);
}

void ReadSpec(const JsonView& spec, ElectionLease& lease) {
  lease.holder.pod = PodUid(spec.Field("holderIdentity").Text());
  lease.transitions =
      static_cast<std::int32_t>(spec.Field("leaseTransitions").Int(kNotNegative32, 0));
  lease.duration = std::chrono::seconds(spec.Field("leaseDurationSeconds").Int(kNotNegative32, 0));
  lease.acquired = ReadTime(spec.Field("acquireTime"));
  lease.renewed = ReadTime(spec.Field("renewTime"));
}

void ReadAnnotations(const JsonView& field, ElectionLease& lease) {
  lease.holder_pod = PodName(field.Field(kHolderPodAnnotation).Text());
  lease.holder.process = field.Field(kProcessAnnotation).Text();
  lease.scheduler = SchedulerName(field.Field(model::names::kSchedulerAnnotation).Text());
  lease.lock_namespace = Namespace(field.Field(kLockNamespaceAnnotation).Text());
  lease.write = ReadWrite(field.Field(kWriteAnnotation));
  lease.other_annotations = field.Texts();
  lease.in_flight = ReadInFlight(lease.other_annotations);
  for (const std::string_view ours : kOurAnnotations) {
    lease.other_annotations.erase(std::string(ours));
  }
}

ElectionLease ReadElectionLease(const JsonView& root) {
  const JsonView metadata = root.Field("metadata");
  ElectionLease lease;
  lease.ns = Namespace(metadata.Field("namespace").RequiredText());
  lease.name = LeaseName(metadata.Field("name").RequiredText());
  lease.uid = LeaseUid(metadata.Field("uid").Text());
  lease.resource_version = ResourceVersion(metadata.Field("resourceVersion").Text());
  lease.other_labels = metadata.Field("labels").Texts();
  lease.other_labels.erase(std::string(kRoleLabel));
  ReadSpec(root.Field("spec"), lease);
  ReadAnnotations(metadata.Field("annotations"), lease);
  return lease;
}

}  // namespace

LeaseName ElectionLeaseName(const SchedulerName& scheduler) {
  std::string name(kDefaultName);
  if (scheduler.text() != kDefaultScheduler) {
    name += "-" + StableHashHex(scheduler.text()).substr(0, kHashDigits);
  }
  return LeaseName(name);
}

std::string EncodeElectionLease(const ElectionLease& lease) {
  return boost::json::serialize(boost::json::object{{"apiVersion", "coordination.k8s.io/v1"},
                                                    {"kind", "Lease"},
                                                    {"metadata", MetadataOf(lease)},
                                                    {"spec", SpecOf(lease)}});
}

Result<ElectionLease> DecodeElectionLease(std::string_view json) {
  return DecodeObject<ElectionLease>("election lease", json, ReadElectionLease);
}

}  // namespace gs::kube
