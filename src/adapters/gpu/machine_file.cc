#include "adapters/gpu/machine_file.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "adapters/gpu/wiring.h"
#include "adapters/json/object_reader.h"
#include "adapters/runtime/read_file.h"
#include "adapters/yaml/parse.h"
#include "base/gpu_ids.h"

namespace gs::gpu {
namespace {

constexpr IntegerRange kNumaNodes{.min = -1, .max = 65535};
constexpr IntegerRange kMemories{.min = 0, .max = std::int64_t{1} << 40};
constexpr IntegerRange kBandwidths{.min = 0, .max = 1'000'000};

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

model::GpuDevice ReadDeviceFields(json::ObjectReader& reader) {
  model::GpuDevice device;
  device.id =
      GpuId(static_cast<std::int32_t>(reader.RequiredInt("id", {.min = 0, .max = kMaxGpuId})));
  device.uuid = GpuUuid(reader.Text("uuid"));
  device.model = reader.Text("model");
  device.memory_mib = reader.Int("memoryMiB", kMemories, 0);
  device.pci_bus_id = reader.Text("pciBusId");
  const auto numa = static_cast<std::int32_t>(reader.Int("numaNode", kNumaNodes, -1));
  if (numa >= 0) device.numa_node = numa;
  device.island = ReadIsland(reader);
  device.bandwidth_gbps = static_cast<std::int32_t>(reader.Int("bandwidthGBps", kBandwidths, 0));
  device.health =
      reader.Word("health", model::ParseHealth, "Healthy, Unhealthy", model::Health::kHealthy);
  device.health_reason = reader.Text("healthReason");
  device.in_use_by = reader.Texts("inUseBy");
  device.residue = ReadPodUids(reader, "residue");
  return device;
}

Result<std::vector<StatedDevice>> ReadDevices(const DeviceList& list) {
  if (list.items->size() > kMaxDevices) {
    return Error(ErrorKind::kInvalid, std::to_string(list.items->size()) +
                                          " devices; a machine has at most " +
                                          std::to_string(kMaxDevices))
        .Within(list.path);
  }
  std::vector<StatedDevice> devices;
  for (std::size_t i = 0; i < list.items->size(); ++i) {
    StatedDevice stated;
    stated.path = list.path + "[" + std::to_string(i) + "]";
    json::ObjectReader reader((*list.items)[i], stated.path);
    stated.device = ReadDeviceFields(reader);
    stated.links = &reader.Array("links");
    if (auto done = reader.Finish(); !done) return std::move(done).error();
    devices.push_back(std::move(stated));
  }
  return devices;
}

// Ids say which GPU is meant and UUIDs which one it is, so neither may be given twice.
Result<void> CheckUnique(const std::vector<StatedDevice>& devices) {
  std::map<GpuId, std::string> ids;
  std::map<GpuUuid, std::string> uuids;
  for (const auto& [device, path, links] : devices) {
    const auto [same_id, is_new_id] = ids.try_emplace(device.id, path);
    if (!is_new_id) {
      return Error(ErrorKind::kInvalid, "GPU " + std::to_string(device.id.number()) +
                                            " is given already by " + same_id->second)
          .Within(path + ".id");
    }
    const auto [same_uuid, is_new_uuid] = uuids.try_emplace(device.uuid, path);
    if (!is_new_uuid && !device.uuid.empty()) {
      return Error(ErrorKind::kInvalid,
                   json::Quoted(device.uuid.text()) + " is given already by " + same_uuid->second)
          .Within(path + ".uuid");
    }
  }
  return {};
}

}  // namespace

Result<model::Machine> ReadMachine(std::string_view text) {
  const auto root = yaml::ParseYaml(text);
  if (!root) return root.error();
  const auto list = FindDevices(*root);
  if (!list) return list.error();
  auto devices = ReadDevices(*list);
  if (!devices) return std::move(devices).error();
  if (auto unique = CheckUnique(*devices); !unique) return std::move(unique).error();
  std::sort(devices->begin(), devices->end(),
            [](const auto& a, const auto& b) { return a.device.id < b.device.id; });
  auto wiring = ReadWiring(*devices);
  if (!wiring) return std::move(wiring).error();
  model::Machine machine;
  for (auto& stated : *devices) machine.devices.push_back(std::move(stated.device));
  machine.links = *std::move(wiring);
  return machine;
}

Result<model::Machine> LoadMachineFile(const std::filesystem::path& path) {
  const auto text = runtime::ReadFile(path, kMaxFileBytes);
  if (!text) return text.error();
  return ReadMachine(*text).Within(path.string());
}

}  // namespace gs::gpu
