// Reports are machine files inside an object: whatever a report says, DecodeNodeStatus and the
// reader of machine files make the same machine of it, or both refuse it.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "adapters/gpu/machine_file.h"
#include "adapters/kube/objects/decode.h"
#include "adapters/kube/objects/encode_node_status.h"

namespace gs::kube {
namespace {

namespace bj = boost::json;
using model::Link;
using model::LinkKind;
using model::PcieClass;

bool Chance() { return *rc::gen::arbitrary<bool>(); }
std::int32_t Number(std::int32_t most) { return *rc::gen::inRange(0, most + 1); }

std::string Name() {
  return *rc::gen::elementOf(std::vector<std::string>{"", "a", "team/b", "ü\n"});
}

model::GpuDevice AnyDevice(GpuId id) {
  model::GpuDevice device{.id = id};
  if (Chance()) device.uuid = GpuUuid("GPU-" + std::to_string(id.number()));
  device.model = Name();
  device.memory_mib = Number(100'000);
  device.pci_bus_id = Name();
  if (Chance()) device.numa_node = Number(3);
  device.island = IslandName(Name());
  device.bandwidth_gbps = Number(900);
  if (Chance()) device.health = model::Health::kUnhealthy;
  device.health_reason = Name();
  for (int i = Number(2); i > 0; --i) device.in_use_by.push_back(Name());
  for (int i = Number(2); i > 0; --i) device.residue.push_back(PodUid(Name()));
  return device;
}

Link AnyLink() {
  const auto kind = static_cast<LinkKind>(Number(3));
  return {.kind = kind,
          .count = kind == LinkKind::kNone ? 0 : 1 + Number(99),
          .pcie = static_cast<PcieClass>(Number(5)),
          .bandwidth_gbps = Number(900)};
}

model::Machine AnyMachine() {
  model::Machine machine;
  std::int32_t id = 0;
  for (int i = Number(6); i > 0; --i) {
    id += 1 + Number(3);
    machine.devices.push_back(AnyDevice(GpuId(id)));
  }
  machine.links = model::LinkMatrix(machine.devices.size());
  for (std::size_t a = 0; a < machine.devices.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) machine.links.Set(a, b, AnyLink());
  }
  return machine;
}

bj::value ObjectWith(const model::Machine& machine) {
  bj::object object =
      bj::parse(EncodeNodeStatusObject({NodeName("n"), NodeUid("u"), "agent"})).as_object();
  object["status"] = bj::parse(EncodeNodeReport({.machine = machine, .notes = {}})).at("status");
  return object;
}

RC_GTEST_PROP(DecodeNodeStatus, ReadsWhatIsWritten, ()) {
  const model::Machine machine = AnyMachine();
  const std::string json = bj::serialize(ObjectWith(machine));
  const auto status = DecodeNodeStatus(json);
  RC_ASSERT(status.ok());
  RC_ASSERT(status->machine == machine);
  RC_ASSERT(gpu::ReadMachine(json).value() == machine);
}

// --- reports with a mistake, or with something left out ------------------------------------------

bj::value AnyValue() {
  return *rc::gen::elementOf(std::vector<bj::value>{nullptr,
                                                    true,
                                                    -1,
                                                    0,
                                                    1,
                                                    7,
                                                    100,
                                                    65'536,
                                                    1'000'001,
                                                    std::uint64_t{1} << 63U,
                                                    1.5,
                                                    "",
                                                    "pix",
                                                    "NVLink",
                                                    "xgmi",
                                                    "Healthy",
                                                    "SYS",
                                                    "other",
                                                    bj::array{},
                                                    bj::array{"a"},
                                                    bj::array{3},
                                                    bj::object{}});
}

void Spoil(bj::object& object) {
  const auto fields = std::vector<std::string>{
      "id",   "uuid", "model", "memoryMiB", "numaNode", "island",  "bandwidthGBps", "health",
      "peer", "type", "count", "pcie",      "links",    "inUseBy", "residue",       "misspelt"};
  const std::string field = *rc::gen::elementOf(fields);
  if (Chance()) {
    object.erase(field);
  } else {
    object[field] = AnyValue();
  }
}

void SpoilOneOf(bj::array& devices) {
  if (devices.empty()) return;
  bj::object& device = devices[static_cast<std::size_t>(Number(99)) % devices.size()].as_object();
  const auto* links = device.if_contains("links");
  if (links == nullptr || !links->is_array() || links->get_array().empty() || Chance()) {
    return Spoil(device);
  }
  bj::array& list = device["links"].as_array();
  bj::value& link = list[static_cast<std::size_t>(Number(99)) % list.size()];
  if (link.is_object()) Spoil(link.as_object());
  if (Number(9) == 0) list.push_back(link);
}

RC_GTEST_PROP(DecodeNodeStatus, TakesAndRefusesWhatTheReaderOfMachineFilesDoes, ()) {
  bj::value object = ObjectWith(AnyMachine());
  bj::array& devices = object.at("status").at("devices").as_array();
  for (int i = 1 + Number(2); i > 0; --i) SpoilOneOf(devices);
  const std::string json = bj::serialize(object);
  const auto expected = gpu::ReadMachine(json);
  const auto status = DecodeNodeStatus(json);
  RC_LOG() << json << "\n"
           << (expected ? "accepted" : ToString(expected.error())) << "\n"
           << (status ? "accepted" : ToString(status.error())) << "\n";
  RC_CLASSIFY(expected.ok(), "accepted");
  RC_ASSERT(status.ok() == expected.ok());
  if (expected) RC_ASSERT(status->machine == *expected);
}

}  // namespace
}  // namespace gs::kube
