#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/kube/objects/decode.h"

namespace gs::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(DecodeNode, ReadsWhatTheSchedulerUses) {
  const auto node = DecodeNode(R"({"kind":"Node",
    "metadata":{"name":"node-a","labels":{"zone":"z1"}},
    "spec":{"unschedulable":true,"taints":[
      {"key":"nvidia.com/gpu","value":"true","effect":"NoSchedule","timeAdded":"2026-01-01T00:00:00Z"},
      {"key":"later","effect":"NoScheduleMaybe"}]},
    "status":{"capacity":{"cpu":"64","nvidia.com/gpu":"8","pods":"110"},
      "allocatable":{"cpu":"63500m","memory":"257699Mi","nvidia.com/gpu":"7","pods":"110",
                     "hugepages-2Mi":"0","ephemeral-storage":"93478772582"}}})");
  ASSERT_TRUE(node.ok()) << node.error();
  EXPECT_EQ(node->name, NodeName("node-a"));
  EXPECT_THAT(node->labels, ElementsAre(Pair("zone", "z1")));
  EXPECT_THAT(node->taints,
              ElementsAre(model::Taint{"nvidia.com/gpu", "true", model::TaintEffect::kNoSchedule}));
  EXPECT_TRUE(node->is_unschedulable);
  EXPECT_EQ(node->gpu_capacity, 8);
  EXPECT_EQ(node->allocatable_pods, 110);
  EXPECT_EQ(node->allocatable.gpus, 7);
  EXPECT_EQ(node->allocatable.cpu_milli, 63500);
  EXPECT_EQ(node->allocatable.memory_bytes, std::int64_t{257699} << 20);
  EXPECT_THAT(node->allocatable.others,
              ElementsAre(Pair("ephemeral-storage", 93478772582), Pair("hugepages-2Mi", 0)));
  EXPECT_FALSE(node->machine.has_value());
}

TEST(DecodeNode, CountsGpusByAllNamesOfWholeOnes) {
  const auto node = DecodeNode(R"({"metadata":{"name":"n"},"status":{
    "capacity":{"amd.com/gpu":"8","nvidia.com/gpu":"1","nvidia.com/gpu.shared":"40"},
    "allocatable":{"amd.com/gpu":"6","nvidia.com/gpu.shared":"40"}}})");
  ASSERT_TRUE(node.ok()) << node.error();
  EXPECT_EQ(node->gpu_capacity, 9);
  EXPECT_EQ(node->allocatable.gpus, 0);
  EXPECT_EQ(node->allocatable.others.Of("amd.com/gpu"), 6);
}

TEST(DecodeNode, TakesANodeThatHasJustJoined) {
  const auto node = DecodeNode(R"({"metadata":{"name":"n"},"spec":{},"status":{}})");
  ASSERT_TRUE(node.ok()) << node.error();
  EXPECT_EQ(node->allocatable, model::Resources{});
}

TEST(DecodeNode, NamesPathAndNodeOfAMistake) {
  const auto node = DecodeNode(R"({"metadata":{"name":"n"},"spec":{"taints":{}}})");
  ASSERT_FALSE(node.ok());
  EXPECT_EQ(ToString(node.error()), "node n: spec.taints: expected a list, got an object");
}

constexpr std::string_view kStatus = R"({"apiVersion":"gpu.scheduling/v1","kind":"GpuNodeStatus",
  "metadata":{"name":"node-a","resourceVersion":"12","managedFields":[]},
  "spec":{"nodeName":"node-a"},
  "status":{"total":2,"observedAt":"2026-01-01T00:00:00Z","devices":[
    {"id":0,"uuid":"GPU-0","links":[{"peer":1,"type":"NVLink","count":4}]},
    {"id":1,"uuid":"GPU-1","health":"Unhealthy"}]}})";

TEST(DecodeNodeStatus, ReadsTheMachine) {
  const auto status = DecodeNodeStatus(kStatus);
  ASSERT_TRUE(status.ok()) << status.error();
  EXPECT_EQ(status->node, NodeName("node-a"));
  EXPECT_EQ(status->resource_version, ResourceVersion("12"));
  ASSERT_TRUE(status->machine.has_value());
  ASSERT_EQ(status->machine->devices.size(), 2U);
  EXPECT_EQ(status->machine->links.At(0, 1).count, 4);
}

// As it is right after its creation: the status is written in a second step.
TEST(DecodeNodeStatus, WithoutAStatusNoDevicesAreKnownYet) {
  for (const std::string status : {"", R"(,"status":null)", R"(,"status":{})"}) {
    const auto decoded = DecodeNodeStatus(
        R"({"metadata":{"name":"node-b"},"spec":{"nodeName":"node-b"})" + status + "}");
    ASSERT_TRUE(decoded.ok()) << decoded.error();
    EXPECT_EQ(decoded->node, NodeName("node-b"));
    EXPECT_FALSE(decoded->machine.has_value());
  }
}

std::string RefusalOf(const std::string& devices, const std::string& more = "") {
  const auto status = DecodeNodeStatus(R"({"metadata":{"name":"n"},"status":{"devices":)" +
                                       devices + "}" + more + "}");
  return status ? "accepted" : ToString(status.error());
}

TEST(DecodeNodeStatus, ReadsEveryFieldOfADevice) {
  const auto status = DecodeNodeStatus(R"({"metadata":{"name":"n"},"status":{"devices":[
      {"id":3,"uuid":"GPU-1","model":"A100","memoryMiB":81920,"pciBusId":"0000:07:00.0",
       "numaNode":1,"island":2,"bandwidthGBps":600,"health":"unhealthy","healthReason":"XID 79",
       "inUseBy":["ns/pod"],"residue":["uid-1"],"links":null},
      {"id":1,"numaNode":-1,"island":"x"}]}})");
  ASSERT_TRUE(status.ok()) << status.error();
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
  EXPECT_EQ(status->machine->devices.at(1), expected);
  EXPECT_EQ(status->machine->devices.at(0),
            (model::GpuDevice{.id = GpuId(1), .island = IslandName("x")}));
}

TEST(DecodeNodeStatus, NamesThePlaceOfAMistake) {
  EXPECT_EQ(RefusalOf("8"), "node status n: status.devices: expected a list, got 8");
  EXPECT_EQ(RefusalOf("[3]"), "node status n: status.devices[0]: expected an object, got 3");
  EXPECT_EQ(RefusalOf(R"([{"id":65536}])"),
            "node status n: status.devices[0].id: expected a number from 0 to 65535, got 65536");
  EXPECT_EQ(RefusalOf(R"([{"id":0,"health":"Sick"}])"),
            "node status n: status.devices[0].health: expected one of Healthy, Unhealthy, got "
            "\"Sick\"");
  EXPECT_EQ(RefusalOf(R"([{"id":0,"residue":[3]}])"),
            "node status n: status.devices[0].residue[0]: expected text, got 3");
  EXPECT_EQ(RefusalOf(R"([{"id":0,"island":[]}])"),
            "node status n: status.devices[0].island: expected text or a whole number, got a list");
  EXPECT_EQ(RefusalOf(R"([{"id":0,"links":[{"type":"NVLink"}]}])"),
            "node status n: status.devices[0].links[0].peer: is missing");
  EXPECT_EQ(RefusalOf(R"([{"id":0,"links":[{"peer":1}]}])"),
            "node status n: status.devices[0].links[0].peer: there is no GPU 1; the machine has 0");
  EXPECT_EQ(RefusalOf(R"([{"id":0},{"id":0}])"),
            "node status n: status.devices[1].id: GPU 0 is given already by status.devices[0]");
}

TEST(DecodeNodeStatus, RefusesFieldsThatItDoesNotHave) {
  EXPECT_EQ(RefusalOf(R"([{"id":0,"links":[{"pear":1}]}])"),
            "node status n: status.devices[0].links[0]: unknown field \"pear\"; known are "
            "bandwidthGBps, count, pcie, peer, type");
  EXPECT_EQ(RefusalOf(R"([{"id":0,"id":1}])"),
            "node status n: status.devices[0].id: is given twice");
  EXPECT_EQ(RefusalOf("[]", R"(,"devices":[])"), "node status n: devices: is given beside status");
  EXPECT_EQ(RefusalOf("[]", R"(,"kind":"Pod")"),
            "node status n: kind: expected GpuNodeStatus, got \"Pod\"");
  EXPECT_THAT(RefusalOf("[]", R"(,"gpus":[])"), HasSubstr("unknown field \"gpus\""));
}

TEST(DecodeNodeStatus, NamesTheNodeOfAMistake) {
  const auto status =
      DecodeNodeStatus(R"({"metadata":{"name":"node-b"},"status":{"devices":[{"uuid":"x"}]}})");
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(ToString(status.error()),
              HasSubstr("node status node-b: status.devices[0].id: is missing"));
}

}  // namespace
}  // namespace gs::kube
