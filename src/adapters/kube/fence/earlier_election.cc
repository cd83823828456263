#include "adapters/kube/fence/earlier_election.h"

#include <boost/json/object.hpp>
#include <cstddef>
#include <limits>
#include <utility>

#include "adapters/kube/fence/lease_json.h"
#include "adapters/kube/objects/decode_object.h"
#include "base/parse.h"
#include "base/stable_hash.h"

namespace gs::kube {
namespace {

constexpr std::string_view kDefaultScheduler = "gpu-scheduler";
constexpr std::string_view kDefaultName = "scheduler-leader";
constexpr std::size_t kHashDigits = 8;

// The UID of a pod is never this.
constexpr std::string_view kTombstoneHolder = "scheduler-fence";
constexpr std::int32_t kForEver = std::numeric_limits<std::int32_t>::max();

constexpr std::string_view kProcessAnnotation = "gpu.scheduling/process";
constexpr std::string_view kWriteAnnotation = "gpu.scheduling/write";
constexpr std::string_view kInFlightFormatAnnotation = "gpu.scheduling/in-flight-format";
// [{"namespace": "team", "name": "a", "uid": "..."}]
constexpr std::string_view kInFlightAnnotation = "gpu.scheduling/in-flight";
constexpr std::string_view kInFlightFormat = "1";

constexpr IntegerRange kNotNegative32{.min = 0, .max = std::numeric_limits<std::int32_t>::max()};

std::optional<std::string> AnnotationOf(const EarlierElection& election, std::string_view name) {
  const auto& annotations = election.metadata.annotations;
  const auto found = annotations.find(std::string(name));
  if (found == annotations.end()) return std::nullopt;
  return found->second;
}

EarlierElection ReadEarlierElection(const JsonView& root) {
  const JsonView spec = root.Field("spec");
  EarlierElection election;
  election.metadata = ReadLeaseMetadata(root.Field("metadata"));
  election.holder = spec.Field("holderIdentity").Text();
  election.transitions =
      static_cast<std::int32_t>(spec.Field("leaseTransitions").Int(kNotNegative32, 0));
  election.duration =
      std::chrono::seconds(spec.Field("leaseDurationSeconds").Int(kNotNegative32, 0));
  // Times of others are never relied on, so a strange one is as good as none.
  election.renewed = ParseMicros(spec.Field("renewTime").Text());
  return election;
}

}  // namespace

LeaseName EarlierElectionName(const SchedulerName& scheduler) {
  std::string name(kDefaultName);
  if (scheduler.text() != kDefaultScheduler) {
    name += "-" + StableHashHex(scheduler.text()).substr(0, kHashDigits);
  }
  return LeaseName(name);
}

// A Lease without a list may be one that was wiped or made again, so that is no empty list; and
// `null` would read as one without pods.
std::optional<std::vector<model::PodRef>> ListOf(const EarlierElection& election) {
  const auto text = AnnotationOf(election, kInFlightAnnotation);
  const bool is_known = AnnotationOf(election, kInFlightFormatAnnotation) == kInFlightFormat;
  if (!is_known || !text || !text->starts_with('[')) return std::nullopt;
  const auto document = JsonDocument::Parse(*text);
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

bool IsSameTerm(const EarlierElection& a, const EarlierElection& b) {
  const auto is_same = [&](std::string_view name) {
    return AnnotationOf(a, name) == AnnotationOf(b, name);
  };
  return a.metadata.uid == b.metadata.uid && a.holder == b.holder && a.renewed == b.renewed &&
         a.transitions == b.transitions && is_same(kProcessAnnotation) && is_same(kWriteAnnotation);
}

bool IsTombstone(const EarlierElection& election) { return election.holder == kTombstoneHolder; }

EarlierElection TombstoneOf(EarlierElection election, TimePoint now) {
  election.holder = kTombstoneHolder;
  election.duration = std::chrono::seconds(kForEver);
  election.transitions = election.transitions == kForEver ? 1 : election.transitions + 1;
  election.renewed = Micros(now);
  return election;
}

std::string EncodeEarlierElection(const EarlierElection& election) {
  boost::json::object spec{{"leaseTransitions", election.transitions}};
  AddUnlessEmpty("holderIdentity", election.holder, spec);
  if (election.duration.count() > 0) spec["leaseDurationSeconds"] = election.duration.count();
  if (election.renewed) spec["renewTime"] = PrintTime(*election.renewed, TimeDetail::kMicros);
  return PrintLease(election.metadata, spec);
}

Result<EarlierElection> DecodeEarlierElection(std::string_view json) {
  return DecodeObject<EarlierElection>("election lease", json, ReadEarlierElection);
}

}  // namespace gs::kube
