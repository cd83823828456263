#include "adapters/gpu/machine_file.h"

#include <gtest/gtest.h>

#include <string>

namespace gs::gpu {
namespace {

std::string RefusalOf(std::string_view text) {
  const auto machine = ReadMachine(text);
  return machine ? "accepted" : ToString(machine.error());
}

TEST(ReadMachine, AcceptsAWholeGpuNodeStatusADevicesObjectAndABareList) {
  const auto list = ReadMachine("- {id: 0}\n- {id: 1}\n");
  ASSERT_TRUE(list.ok()) << list.error();
  EXPECT_EQ(list->devices.size(), 2U);
  EXPECT_EQ(ReadMachine("devices: [{id: 0}, {id: 1}]"), list);
  EXPECT_EQ(ReadMachine("apiVersion: gpu.scheduling/v1\n"
                        "kind: GpuNodeStatus\n"
                        "metadata: {name: node-a}\n"
                        "spec: {nodeName: node-a}\n"
                        "status:\n"
                        "  total: 2\n"
                        "  driverVersion: '550'\n"
                        "  observedAt: 2024-01-01T00:00:00Z\n"
                        "  conditions: []\n"
                        "  devices: [{id: 0}, {id: 1}]\n"),
            list);
  EXPECT_EQ(ReadMachine("{\"devices\": [{\"id\": 0},\n\t{\"id\": 1}]}"), list);
}

TEST(ReadMachine, ReadsEveryFieldOfADevice) {
  const auto machine = ReadMachine(
      "- id: 3\n  uuid: GPU-1\n  model: A100\n  memoryMiB: 81920\n  pciBusId: '0000:07:00.0'\n"
      "  numaNode: 1\n  island: 2\n  bandwidthGBps: 600\n  health: unhealthy\n"
      "  healthReason: XID 79\n  inUseBy: [ns/pod]\n  residue: [uid-1]\n");
  ASSERT_TRUE(machine.ok()) << machine.error();
  const model::GpuDevice expected{.id = GpuId(3),
                                  .uuid = GpuUuid("GPU-1"),
                                  .model = "A100",
                                  .memory_mib = 81920,
                                  .pci_bus_id = "0000:07:00.0",
                                  .numa_node = 1,
                                  .island = IslandName("2"),
                                  .bandwidth_gbps = 600,
                                  .health = model::Health::kUnhealthy,
                                  .health_reason = "XID 79",
                                  .in_use_by = {"ns/pod"},
                                  .residue = {PodUid("uid-1")}};
  EXPECT_EQ(machine->devices.at(0), expected);
}

TEST(ReadMachine, NeedsNothingButIds) {
  const auto machine = ReadMachine("- {id: 7, numaNode: -1, island: null}");
  ASSERT_TRUE(machine.ok()) << machine.error();
  EXPECT_EQ(machine->devices.at(0), model::GpuDevice{.id = GpuId(7)});
  EXPECT_TRUE(ReadMachine("devices: []")->devices.empty());
}

TEST(ReadMachine, OrdersDevicesById) {
  const auto machine = ReadMachine("[{id: 9, model: b}, {id: 2, model: a}]");
  ASSERT_TRUE(machine.ok()) << machine.error();
  EXPECT_EQ(machine->devices[0].model, "a");
  EXPECT_EQ(machine->devices[1].id, GpuId(9));
}

TEST(ReadMachine, KeepsTheNameOfAnIsland) {
  EXPECT_EQ(ReadMachine("[{id: 0, island: hive-a}]")->devices[0].island, IslandName("hive-a"));
  EXPECT_EQ(RefusalOf("[{id: 0, island: [1]}]"),
            "devices[0].island: expected text or a whole number, got a list");
}

TEST(ReadMachine, RefusesTextThatIsNoMachine) {
  EXPECT_EQ(RefusalOf(""), "the text has no content");
  EXPECT_EQ(RefusalOf("a: b: c"), "line 1, column 5: not valid YAML: illegal map value");
  EXPECT_EQ(
      RefusalOf("hello"),
      "expected devices, got \"hello\"; a machine is a GpuNodeStatus, an object with devices, "
      "or a list of devices");
  EXPECT_EQ(RefusalOf("{}"), "devices: is missing");
  EXPECT_EQ(RefusalOf("status: {}"), "status.devices: is missing");
  EXPECT_EQ(RefusalOf("status: 3"), "status: expected an object, got 3");
  EXPECT_EQ(RefusalOf("devices: 8"), "devices: expected a list, got 8");
  EXPECT_EQ(RefusalOf("{status: {devices: []}, devices: []}"), "devices: is given beside status");
  EXPECT_EQ(RefusalOf("kind: Pod\ndevices: []"), "kind: expected GpuNodeStatus, got \"Pod\"");
}

TEST(ReadMachine, RefusesUnknownFieldsAndNamesTheKnownOnes) {
  EXPECT_EQ(RefusalOf("gpus: []"),
            "unknown field \"gpus\"; known are kind, apiVersion, metadata, spec, status, devices");
  EXPECT_EQ(RefusalOf("status: {device: []}"),
            "status: unknown field \"device\"; known are total, driverVersion, observedAt, "
            "conditions, devices");
  EXPECT_EQ(
      RefusalOf("devices: [{id: 0}, {id: 1, memoryMB: 5}]"),
      "devices[1]: unknown field \"memoryMB\"; known are id, uuid, model, memoryMiB, pciBusId, "
      "numaNode, island, bandwidthGBps, health, healthReason, inUseBy, residue, links");
}

TEST(ReadMachine, RefusesWrongValuesOfDeviceFields) {
  EXPECT_EQ(RefusalOf("[{model: x}]"), "devices[0].id: is missing");
  EXPECT_EQ(RefusalOf("[{id: x}]"), "devices[0].id: expected a whole number, got \"x\"");
  EXPECT_EQ(RefusalOf("[{id: 65536}]"),
            "devices[0].id: expected a number from 0 to 65535, got 65536");
  EXPECT_EQ(RefusalOf("[{id: 0, memoryMiB: -1}]"),
            "devices[0].memoryMiB: expected a number from 0 to 1099511627776, got -1");
  EXPECT_EQ(RefusalOf("[{id: 0, numaNode: -2}]"),
            "devices[0].numaNode: expected a number from -1 to 65535, got -2");
  EXPECT_EQ(RefusalOf("[{id: 0, health: Sick}]"),
            "devices[0].health: expected one of Healthy, Unhealthy, got \"Sick\"");
  EXPECT_EQ(RefusalOf("[{id: 0, residue: [3]}]"), "devices[0].residue[0]: expected text, got 3");
  EXPECT_EQ(RefusalOf("[3]"), "devices[0]: expected an object, got 3");
}

TEST(ReadMachine, RefusesIdsAndUuidsGivenTwice) {
  EXPECT_EQ(RefusalOf("status: {devices: [{id: 4}, {id: 5}, {id: 4}]}"),
            "status.devices[2].id: GPU 4 is given already by status.devices[0]");
  EXPECT_EQ(RefusalOf("[{id: 4, uuid: GPU-a}, {id: 5, uuid: GPU-a}]"),
            "devices[1].uuid: \"GPU-a\" is given already by devices[0]");
  EXPECT_TRUE(ReadMachine("[{id: 4, uuid: ''}, {id: 5, uuid: ''}]").ok());
}

TEST(ReadMachine, RefusesMoreThan64Devices) {
  std::string text;
  for (int id = 0; id < 64; ++id) text += "- {id: " + std::to_string(id) + "}\n";
  EXPECT_TRUE(ReadMachine(text).ok());
  EXPECT_EQ(RefusalOf(text + "- {id: 64}\n"), "devices: 65 devices; a machine has at most 64");
}

}  // namespace
}  // namespace gs::gpu
