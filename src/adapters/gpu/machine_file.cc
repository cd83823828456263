#include "adapters/gpu/machine_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/json/object_reader.h"
#include "adapters/runtime/read_file.h"
#include "adapters/yaml/parse.h"
#include "core/model/stated_machine.h"

namespace gs::gpu {
namespace {

// Where the list of devices was found. Points into the value that was read.
struct DeviceList {
  const boost::json::array* items = nullptr;
  std::string path;
};

Result<DeviceList> ListIn(json::ObjectReader& reader) {
  const boost::json::value* devices = reader.Raw("devices");
  if (devices == nullptr) reader.Fail("devices", "is missing");
  if (devices != nullptr && !devices->is_array()) {
    reader.Fail("devices", "expected a list, got " + json::Describe(*devices));
  }
  if (auto done = reader.Finish(); !done) return std::move(done).error();
  return DeviceList{.items = &devices->get_array(), .path = reader.PathOf("devices")};
}

Result<DeviceList> ListInStatus(const boost::json::value& status) {
  json::ObjectReader reader(status, "status");
  for (const auto* field : {"total", "driverVersion", "observedAt", "conditions"}) {
    reader.Skip(field);
  }
  return ListIn(reader);
}

// The part of the object around the status that is worth a check; the rest has no say about GPUs.
Result<DeviceList> ListInObject(const boost::json::value& root) {
  json::ObjectReader reader(root, "");
  const std::string kind = reader.Text("kind", "GpuNodeStatus");
  if (kind != "GpuNodeStatus")
    reader.Fail("kind", "expected GpuNodeStatus, got " + json::Quoted(kind));
  for (const auto* field : {"apiVersion", "metadata", "spec"}) reader.Skip(field);
  const boost::json::value* status = reader.Raw("status");
  if (status == nullptr) return ListIn(reader);
  if (reader.Raw("devices") != nullptr) reader.Fail("devices", "is given beside status");
  if (auto done = reader.Finish(); !done) return std::move(done).error();
  return ListInStatus(*status);
}

Result<DeviceList> FindDevices(const boost::json::value& root) {
  if (root.is_array()) return DeviceList{.items = &root.get_array(), .path = "devices"};
  if (root.is_object()) return ListInObject(root);
  return Error(ErrorKind::kInvalid, "expected devices, got " + json::Describe(root))
      .Advise("a machine is a GpuNodeStatus, an object with devices, or a list of devices");
}

// People number islands or name them; both are names here.
IslandName ReadIsland(json::ObjectReader& reader) {
  const boost::json::value* island = reader.Raw("island");
  if (island == nullptr) return {};
  if (island->is_string()) return IslandName(std::string(island->get_string()));
  if (island->is_int64()) return IslandName(std::to_string(island->get_int64()));
  reader.Fail("island", "expected text or a whole number, got " + json::Describe(*island));
  return {};
}

std::vector<PodUid> ReadPodUids(json::ObjectReader& reader, std::string_view field) {
  std::vector<PodUid> uids;
  for (auto& text : reader.Texts(field)) uids.emplace_back(std::move(text));
  return uids;
}

std::int32_t ReadBandwidth(json::ObjectReader& reader) {
  return static_cast<std::int32_t>(reader.Int("bandwidthGBps", model::kStatedBandwidths, 0));
}

model::GpuDevice ReadDeviceFields(json::ObjectReader& reader) {
  model::GpuDevice device;
  device.id = GpuId(static_cast<std::int32_t>(reader.RequiredInt("id", model::kStatedIds)));
  device.uuid = GpuUuid(reader.Text("uuid"));
  device.model = reader.Text("model");
  device.memory_mib = reader.Int("memoryMiB", model::kStatedMemories, 0);
  device.pci_bus_id = reader.Text("pciBusId");
  const auto numa = static_cast<std::int32_t>(reader.Int("numaNode", model::kStatedNumaNodes, -1));
  if (numa >= 0) device.numa_node = numa;
  device.island = ReadIsland(reader);
  device.bandwidth_gbps = ReadBandwidth(reader);
  device.health =
      reader.Word("health", model::ParseHealth, model::kHealthWords, model::Health::kHealthy);
  device.health_reason = reader.Text("healthReason");
  device.in_use_by = reader.Texts("inUseBy");
  device.residue = ReadPodUids(reader, "residue");
  return device;
}

// Nothing: it is no word for one.
std::optional<std::optional<model::PcieClass>> ParseStatedPcie(std::string_view word) {
  const auto pcie = model::ParsePcieClass(word);
  if (!pcie) return std::nullopt;
  return std::make_optional(pcie);
}

model::StatedLink ReadLinkFields(json::ObjectReader& reader) {
  constexpr std::int64_t kNotStated = -1;
  model::StatedLink link;
  link.peer = GpuId(static_cast<std::int32_t>(reader.RequiredInt("peer", model::kStatedIds)));
  link.kind = reader.Word("type", model::ParseLinkKind, model::kLinkWords, model::LinkKind::kNone);
  const auto count = reader.Int("count", model::kStatedLinkCounts, kNotStated);
  if (count != kNotStated) link.count = static_cast<std::int32_t>(count);
  link.pcie = reader.Word("pcie", ParseStatedPcie, model::kPcieWords, link.pcie);
  link.bandwidth_gbps = ReadBandwidth(reader);
  return link;
}

Result<std::vector<model::StatedLink>> ReadLinks(const boost::json::array& items,
                                                 const std::string& path) {
  std::vector<model::StatedLink> links;
  links.reserve(items.size());
  for (const auto& item : items) {
    json::ObjectReader reader(item, path + "[" + std::to_string(links.size()) + "]");
    links.push_back(ReadLinkFields(reader));
    if (auto done = reader.Finish(); !done) return std::move(done).error();
  }
  return links;
}

Result<std::vector<model::StatedDevice>> ReadDevices(const DeviceList& list) {
  std::vector<model::StatedDevice> devices;
  for (const auto& item : *list.items) {
    json::ObjectReader reader(item, list.path + "[" + std::to_string(devices.size()) + "]");
    model::StatedDevice stated{.device = ReadDeviceFields(reader), .links = {}};
    const boost::json::array& items = reader.Array("links");
    if (auto done = reader.Finish(); !done) return std::move(done).error();
    auto links = ReadLinks(items, reader.PathOf("links"));
    if (!links) return std::move(links).error();
    stated.links = *std::move(links);
    devices.push_back(std::move(stated));
  }
  return devices;
}

}  // namespace

Result<model::Machine> ReadMachine(std::string_view text) {
  const auto root = yaml::ParseYaml(text);
  if (!root) return root.error();
  const auto list = FindDevices(*root);
  if (!list) return list.error();
  auto devices = ReadDevices(*list);
  if (!devices) return std::move(devices).error();
  return model::MakeMachine(*std::move(devices), list->path);
}

Result<model::Machine> LoadMachineFile(const std::filesystem::path& path) {
  const auto text = runtime::ReadFile(path, kMaxFileBytes);
  if (!text) return text.error();
  return ReadMachine(*text).Within(path.string());
}

}  // namespace gs::gpu
