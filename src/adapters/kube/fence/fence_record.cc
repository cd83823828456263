#include "adapters/kube/fence/fence_record.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <limits>
#include <utility>

#include "adapters/kube/fence/lease_json.h"
#include "adapters/kube/objects/json_view.h"
#include "base/gpu_ids.h"
#include "base/parse.h"
#include "base/stable_hash.h"

namespace gs::kube {
namespace {

using model::InFlightPod;
using model::PodRef;

constexpr std::string_view kKeyPrefix = "gpu.scheduling/release-";
constexpr std::int64_t kFormat = 1;

constexpr IntegerRange kNotNegative32{.min = 0, .max = std::numeric_limits<std::int32_t>::max()};
constexpr IntegerRange kNotNegative{.min = 0};

// "0-7,9": runs of ids are what most pods get.
std::string PrintRuns(const std::vector<GpuId>& ids) {
  std::string printed;
  for (std::size_t first = 0; first < ids.size();) {
    std::size_t last = first;
    while (last + 1 < ids.size() && ids[last + 1].number() == ids[last].number() + 1) ++last;
    if (last == first + 1) last = first;  // "0,1" is as short as "0-1"
    if (!printed.empty()) printed += ',';
    printed += std::to_string(ids[first].number());
    if (last > first) printed += "-" + std::to_string(ids[last].number());
    first = last + 1;
  }
  return printed;
}

boost::json::object PrintPod(const PodRef& pod) {
  return {{"namespace", pod.ns.text()}, {"name", pod.name.text()}, {"uid", pod.uid.text()}};
}

// What most entries have in common is left out.
boost::json::object PrintEntry(const InFlightPod& in_flight) {
  boost::json::object entry = PrintPod(in_flight.pod);
  AddUnlessEmpty("version", in_flight.noted.text(), entry);
  AddUnlessEmpty("node", in_flight.gpus.node.text(), entry);
  AddUnlessEmpty("gpus", PrintRuns(in_flight.gpus.ids), entry);
  if (in_flight.mode != model::AllocationMode::kExclusive) {
    entry["mode"] = ToString(in_flight.mode);
  }
  AddUnlessEmpty("controller", in_flight.controller.text(), entry);
  if (!in_flight.is_enforced) entry["planned"] = true;
  return entry;
}

struct WrittenRecord {
  std::int64_t format = 0;
  ReleaseRecord record;
};

TimePoint ReadTime(const JsonView& field) {
  const auto time = ParseMicros(field.Text());
  if (!time) field.Fail("expected a time");
  return time.value_or(TimePoint());
}

// Versions are compared with it, which only works with numbers.
ResourceVersion ReadNumberVersion(const JsonView& field) {
  const std::string text = field.Text();
  const bool is_number =
      std::ranges::all_of(text, [](char digit) { return digit >= '0' && digit <= '9'; });
  if (!is_number) field.Fail("expected a resourceVersion");
  return ResourceVersion(text);
}

std::vector<GpuId> ReadGpus(const JsonView& field) {
  auto ids = ParseGpuIds(field.Text());
  if (!ids) field.Fail(ids.error().message());
  return ids ? *std::move(ids) : std::vector<GpuId>();
}

model::AllocationMode ReadMode(const JsonView& field) {
  const auto mode = model::ParseAllocationMode(field.Text());
  if (!mode) field.Fail("expected a mode");
  return mode.value_or(model::AllocationMode::kExclusive);
}

constexpr std::array kPodFields{
    JsonField<PodRef>{"namespace",
                      [](const JsonView& f, PodRef& into) { into.ns = Namespace(f.Text()); }},
    JsonField<PodRef>{"name",
                      [](const JsonView& f, PodRef& into) { into.name = PodName(f.Text()); }},
    JsonField<PodRef>{"uid", [](const JsonView& f, PodRef& into) { into.uid = PodUid(f.Text()); }},
};

constexpr std::array kEntryFields{
    JsonField<InFlightPod>{
        "namespace",
        [](const JsonView& f, InFlightPod& into) { into.pod.ns = Namespace(f.Text()); }},
    JsonField<InFlightPod>{
        "name", [](const JsonView& f, InFlightPod& into) { into.pod.name = PodName(f.Text()); }},
    JsonField<InFlightPod>{
        "uid", [](const JsonView& f, InFlightPod& into) { into.pod.uid = PodUid(f.Text()); }},
    JsonField<InFlightPod>{
        "version",
        [](const JsonView& f, InFlightPod& into) { into.noted = ResourceVersion(f.Text()); }},
    JsonField<InFlightPod>{
        "node", [](const JsonView& f, InFlightPod& into) { into.gpus.node = NodeName(f.Text()); }},
    JsonField<InFlightPod>{
        "gpus", [](const JsonView& f, InFlightPod& into) { into.gpus.ids = ReadGpus(f); }},
    JsonField<InFlightPod>{"mode",
                           [](const JsonView& f, InFlightPod& into) { into.mode = ReadMode(f); }},
    JsonField<InFlightPod>{
        "controller",
        [](const JsonView& f, InFlightPod& into) { into.controller = ControllerUid(f.Text()); }},
    JsonField<InFlightPod>{
        "planned", [](const JsonView& f, InFlightPod& into) { into.is_enforced = !f.Bool(); }},
};

// Whom nobody can address, nobody can touch.
void RequireAddress(const JsonView& item, const PodRef& pod) {
  if (pod.ns.empty() || pod.name.empty() || pod.uid.empty()) item.Fail("names no pod");
}

std::vector<InFlightPod> ReadEntries(const JsonView& field) {
  std::vector<InFlightPod> entries;
  for (const JsonView& item : field.Items()) {
    item.ReadInto(entries.emplace_back(), kEntryFields);
    RequireAddress(item, entries.back().pod);
  }
  return entries;
}

std::vector<PodRef> ReadPods(const JsonView& field) {
  std::vector<PodRef> pods;
  for (const JsonView& item : field.Items()) {
    item.ReadInto(pods.emplace_back(), kPodFields);
    RequireAddress(item, pods.back());
  }
  return pods;
}

using RecordField = JsonField<WrittenRecord>;
constexpr std::array kRecordFields{
    RecordField{"format",
                [](const JsonView& f, WrittenRecord& into) { into.format = f.Int({}, 0); }},
    RecordField{"scheduler",
                [](const JsonView& f, WrittenRecord& into) {
                  into.record.scheduler = SchedulerName(f.Text());
                }},
    RecordField{"namespace", [](const JsonView& f,
                                WrittenRecord& into) { into.record.ns = Namespace(f.Text()); }},
    RecordField{"holder", [](const JsonView& f,
                             WrittenRecord& into) { into.record.holder.pod = PodUid(f.Text()); }},
    RecordField{"process", [](const JsonView& f,
                              WrittenRecord& into) { into.record.holder.process = f.Text(); }},
    RecordField{"pod", [](const JsonView& f,
                          WrittenRecord& into) { into.record.holder_pod = PodName(f.Text()); }},
    RecordField{"transitions",
                [](const JsonView& f, WrittenRecord& into) {
                  into.record.transitions = f.Int(kNotNegative, 0);
                }},
    RecordField{"duration",
                [](const JsonView& f, WrittenRecord& into) {
                  into.record.duration = std::chrono::seconds(f.Int(kNotNegative32, 0));
                }},
    RecordField{"acquired",
                [](const JsonView& f, WrittenRecord& into) { into.record.acquired = ReadTime(f); }},
    RecordField{"renewed",
                [](const JsonView& f, WrittenRecord& into) { into.record.renewed = ReadTime(f); }},
    RecordField{"write", [](const JsonView& f,
                            WrittenRecord& into) { into.record.write = f.Int(kNotNegative, 0); }},
    RecordField{"settled", [](const JsonView& f,
                              WrittenRecord& into) { into.record.settled = ReadNumberVersion(f); }},
    RecordField{"inFlight", [](const JsonView& f,
                               WrittenRecord& into) { into.record.in_flight = ReadEntries(f); }},
    RecordField{"unresolved", [](const JsonView& f,
                                 WrittenRecord& into) { into.record.unresolved = ReadPods(f); }},
    RecordField{"listLost", [](const JsonView& f,
                               WrittenRecord& into) { into.record.is_list_lost = f.Bool(); }},
};

template <class Item, class Print>
boost::json::array PrintAll(const std::vector<Item>& items, Print print) {
  boost::json::array printed;
  for (const Item& item : items) printed.push_back(print(item));
  return printed;
}

}  // namespace

std::string RecordKey(const SchedulerName& scheduler) {
  return std::string(kKeyPrefix) + StableHashHex(scheduler.text());
}

bool IsRecordKey(std::string_view annotation) { return annotation.starts_with(kKeyPrefix); }

std::string PrintRecord(const ReleaseRecord& record) {
  boost::json::object printed{
      {"format", kFormat}, {"scheduler", record.scheduler.text()}, {"namespace", record.ns.text()}};
  AddUnlessEmpty("holder", record.holder.pod.text(), printed);
  AddUnlessEmpty("process", record.holder.process, printed);
  AddUnlessEmpty("pod", record.holder_pod.text(), printed);
  printed["transitions"] = record.transitions;
  printed["duration"] = record.duration.count();
  if (record.acquired) printed["acquired"] = PrintTime(*record.acquired, TimeDetail::kMicros);
  if (record.renewed) printed["renewed"] = PrintTime(*record.renewed, TimeDetail::kMicros);
  printed["write"] = record.write;
  AddUnlessEmpty("settled", record.settled.text(), printed);
  printed["inFlight"] = PrintAll(record.in_flight, PrintEntry);
  if (!record.unresolved.empty()) printed["unresolved"] = PrintAll(record.unresolved, PrintPod);
  if (record.is_list_lost) printed["listLost"] = true;
  return boost::json::serialize(printed);
}

std::size_t PrintedSize(const InFlightPod& in_flight) {
  constexpr std::size_t kComma = 1;
  return boost::json::serialize(PrintEntry(in_flight)).size() + kComma;
}

std::optional<ReleaseRecord> ParseRecord(std::string_view text) {
  const auto document = JsonDocument::Parse(text);
  if (!document) return std::nullopt;
  WrittenRecord written;
  document->root().ReadInto(written, kRecordFields);
  // A list that is not there is no empty list.
  const bool has_list = document->root().Field("inFlight").is_present();
  if (!document->Finish() || !has_list || written.format != kFormat) return std::nullopt;
  if (written.record.scheduler.empty()) return std::nullopt;
  return std::move(written.record);
}

}  // namespace gs::kube
