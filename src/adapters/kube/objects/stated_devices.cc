#include "adapters/kube/objects/stated_devices.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "adapters/json/object_reader.h"

namespace gs::kube {
namespace {

using model::StatedDevice;
using model::StatedLink;

constexpr GpuId kNoGpu(-1);

std::int32_t ReadNumber(const JsonView& field, IntegerRange range) {
  return static_cast<std::int32_t>(field.Int(range, range.min));
}

// `parse` gives an optional enumerator; `words` are those that it knows.
template <class Enum, class Parse>
void ReadWord(const JsonView& field, Parse parse, std::string_view words, Enum& value) {
  const std::string_view word = field.Word();
  if (const auto parsed = parse(word)) {
    value = *parsed;
  } else {
    field.Fail("expected one of " + std::string(words) + ", got " + json::Quoted(word));
  }
}

// In the order in which the API server writes them, here and below.
constexpr std::array<JsonField<StatedLink>, 5> kLinkFields{{
    {"bandwidthGBps",
     [](const JsonView& field, StatedLink& link) {
       link.bandwidth_gbps = ReadNumber(field, model::kStatedBandwidths);
     }},
    {"count", [](const JsonView& field,
                 StatedLink& link) { link.count = ReadNumber(field, model::kStatedLinkCounts); }},
    {"pcie",
     [](const JsonView& field, StatedLink& link) {
       ReadWord(field, model::ParsePcieClass, model::kPcieWords, link.pcie);
     }},
    {"peer", [](const JsonView& field,
                StatedLink& link) { link.peer = GpuId(ReadNumber(field, model::kStatedIds)); }},
    {"type",
     [](const JsonView& field, StatedLink& link) {
       ReadWord(field, model::ParseLinkKind, model::kLinkWords, link.kind);
     }},
}};

StatedLink ReadLink(const JsonView& view) {
  StatedLink link{.peer = kNoGpu};
  view.ReadInto(link, kLinkFields);
  if (link.peer == kNoGpu) view.Field("peer").Fail("is missing");
  return link;
}

std::vector<StatedLink> ReadLinks(const JsonView& list) {
  const auto items = list.Items();
  std::vector<StatedLink> links;
  links.reserve(items.size());
  for (const JsonView& item : items) links.push_back(ReadLink(item));
  return links;
}

template <class Item>
model::RareList<Item> ReadList(const JsonView& list) {
  std::vector<Item> items;
  for (const JsonView& item : list.Items()) items.emplace_back(item.Text());
  return items;
}

constexpr std::array<JsonField<StatedDevice>, 13> kDeviceFields{{
    {"bandwidthGBps",
     [](const JsonView& field, StatedDevice& stated) {
       stated.device.bandwidth_gbps = ReadNumber(field, model::kStatedBandwidths);
     }},
    {"health",
     [](const JsonView& field, StatedDevice& stated) {
       ReadWord(field, model::ParseHealth, model::kHealthWords, stated.device.health);
     }},
    {"healthReason", [](const JsonView& field,
                        StatedDevice& stated) { stated.device.health_reason = field.Text(); }},
    {"id",
     [](const JsonView& field, StatedDevice& stated) {
       stated.device.id = GpuId(ReadNumber(field, model::kStatedIds));
     }},
    {"inUseBy",
     [](const JsonView& field, StatedDevice& stated) {
       stated.device.in_use_by = ReadList<std::string>(field);
     }},
    {"island",
     [](const JsonView& field, StatedDevice& stated) {
       stated.device.island = IslandName(field.TextOrNumber());
     }},
    {"links", [](const JsonView& field, StatedDevice& stated) { stated.links = ReadLinks(field); }},
    {"memoryMiB",
     [](const JsonView& field, StatedDevice& stated) {
       stated.device.memory_mib = field.Int(model::kStatedMemories, 0);
     }},
    {"model",
     [](const JsonView& field, StatedDevice& stated) { stated.device.model = field.Text(); }},
    {"numaNode",
     [](const JsonView& field, StatedDevice& stated) {
       const std::int32_t node = ReadNumber(field, model::kStatedNumaNodes);
       if (node >= 0) stated.device.numa_node = node;
     }},
    {"pciBusId",
     [](const JsonView& field, StatedDevice& stated) { stated.device.pci_bus_id = field.Text(); }},
    {"residue", [](const JsonView& field,
                   StatedDevice& stated) { stated.device.residue = ReadList<PodUid>(field); }},
    {"uuid", [](const JsonView& field,
                StatedDevice& stated) { stated.device.uuid = GpuUuid(field.Word()); }},
}};

StatedDevice ReadDevice(const JsonView& view) {
  StatedDevice stated;
  stated.device.id = kNoGpu;
  view.ReadInto(stated, kDeviceFields);
  if (stated.device.id == kNoGpu) view.Field("id").Fail("is missing");
  return stated;
}

using Devices = std::vector<StatedDevice>;

void ReadDevices(const JsonView& list, Devices& devices) {
  const auto items = list.Items();
  devices.reserve(items.size());
  for (const JsonView& item : items) devices.push_back(ReadDevice(item));
}

// Of these parts of the object somebody else makes use.
void Skip(const JsonView& /*field*/, Devices& /*devices*/) {}

constexpr std::array<JsonField<Devices>, 5> kStatusFields{{{"conditions", Skip},
                                                           {"devices", ReadDevices},
                                                           {"driverVersion", Skip},
                                                           {"observedAt", Skip},
                                                           {"total", Skip}}};

constexpr std::array<JsonField<Devices>, 6> kObjectFields{{
    {"kind",
     [](const JsonView& field, Devices&) {
       if (field.Word() == "GpuNodeStatus") return;
       field.Fail("expected GpuNodeStatus, got " + json::Quoted(field.Word()));
     }},
    {"apiVersion", Skip},
    {"metadata", Skip},
    {"spec", Skip},
    {"status",
     [](const JsonView& field, Devices& devices) { field.ReadInto(devices, kStatusFields); }},
    {"devices", [](const JsonView& field, Devices&) { field.Fail("is given beside status"); }},
}};

}  // namespace

std::vector<StatedDevice> ReadStatedDevices(const JsonView& root) {
  Devices devices;
  root.ReadInto(devices, kObjectFields);
  return devices;
}

}  // namespace gs::kube
