#include "adapters/kube/objects/encode_node_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "adapters/gpu/machine_file.h"
#include "adapters/kube/objects/decode.h"

namespace gs::kube {
namespace {

namespace bj = boost::json;

const NodeStatusOwner kOwner{NodeName("node-a"), NodeUid("uid-1"), "agent-1"};

model::NodeReport Report() {
  model::NodeReport report;
  auto machine = gpu::ReadMachine(R"([
    {id: 0, uuid: GPU-0, model: A40, memoryMiB: 49152, pciBusId: "0000:01:00.0", numaNode: 0, island: "0",
     bandwidthGBps: 112, inUseBy: [team/a, team/b], residue: [uid-9],
     links: [{peer: 1, type: NVLink, count: 4, pcie: PIX, bandwidthGBps: 112}, {peer: 2, pcie: SYS}]},
    {id: 1, health: Unhealthy, healthReason: Xid 79},
    {id: 2}])");
  EXPECT_TRUE(machine.ok());
  report.machine = *machine;
  report.notes = {.driver_version = "550.54",
                  .observed_at = TimePoint(std::chrono::microseconds(1234567890123456)),
                  .why_stale = "NVML hangs",
                  .since = TimePoint(std::chrono::seconds(1234567000))};
  return report;
}

// The object as it is once both parts are written.
std::string Stored(const model::NodeReport& report) {
  bj::object object = bj::parse(EncodeNodeStatusObject(kOwner)).as_object();
  object["status"] = bj::parse(EncodeNodeReport(report)).at("status");
  if (object["status"].at("driverVersion").is_null()) {
    object["status"].as_object().erase("driverVersion");
  }
  return bj::serialize(object);
}

TEST(EncodeNodeStatus, WhatIsWrittenIsReadBack) {
  const model::NodeReport report = Report();
  const auto read = DecodeNodeStatus(Stored(report));
  ASSERT_TRUE(read.ok()) << read.error();
  EXPECT_EQ(read->node, NodeName("node-a"));
  EXPECT_EQ(read->owner, NodeUid("uid-1"));
  EXPECT_EQ(read->reporter, "agent-1");
  EXPECT_EQ(read->notes, report.notes);
  EXPECT_EQ(read->machine, report.machine);
}

TEST(EncodeNodeStatus, AReportOfReadableGpusIsReady) {
  model::NodeReport report = Report();
  report.notes.why_stale.clear();
  report.notes.driver_version.clear();
  const auto read = DecodeNodeStatus(Stored(report));
  ASSERT_TRUE(read.ok()) << read.error();
  EXPECT_EQ(read->notes, report.notes);
  const bj::value condition = bj::parse(Stored(report)).at("status").at("conditions").at(0);
  EXPECT_EQ(condition.at("type"), "Ready");
  EXPECT_EQ(condition.at("status"), "True");
}

TEST(EncodeNodeStatus, TheOwnerOfAnObjectThatIsThereIsReplaced) {
  const bj::value patch = bj::parse(EncodeNodeStatusOwner(kOwner));
  EXPECT_EQ(patch.at("metadata").at("ownerReferences").at(0).at("uid"), "uid-1");
  EXPECT_EQ(patch.at("metadata").at("annotations").at("gpu.scheduling/agent"), "agent-1");
  EXPECT_FALSE(patch.as_object().contains("status"));
}

}  // namespace
}  // namespace gs::kube
