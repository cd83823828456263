#include "programs/scheduler/observe/fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gs::scheduler {
namespace {

using testing::HasSubstr;
using testing::Not;

Fleet SomeFleet() {
  return {.moment = {.time = TimePoint(), .is_leading = true, .is_synced = true},
          .nodes = {{"a", R"({"node":"a"})"}, {"b", R"({"node":"b"})"}},
          .pods = {{"uid-p", R"({"uid":"uid-p"})"}},
          .reservation = "null",
          .placeable = "[]"};
}

TEST(Fleet, TheWholeHasEverything) {
  EXPECT_THAT(WholeFleet(SomeFleet()),
              HasSubstr(R"("leader":true,"synced":true,"placeable":[],"reservation":null,)"
                        R"("nodes":[{"node":"a"},{"node":"b"}],"pods":[{"uid":"uid-p"}]})"));
}

TEST(Fleet, AChangeHasOnlyWhatIsDifferent) {
  const Fleet before = SomeFleet();
  EXPECT_THAT(FleetChange(before, before), HasSubstr(R"("leader":true,"synced":true})"));
  Fleet after = before;
  after.nodes["b"] = R"({"node":"b","new":1})";
  after.nodes["c"] = R"({"node":"c"})";
  after.nodes.erase("a");
  after.pods.clear();
  after.placeable = "[1]";
  EXPECT_THAT(FleetChange(before, after),
              HasSubstr(R"("synced":true,"placeable":[1],"nodes":[{"node":"b","new":1},)"
                        R"({"node":"c"}],"nodesGone":["a"],"podsGone":["uid-p"]})"));
  EXPECT_THAT(FleetChange(before, after), Not(HasSubstr("reservation")));
}

TEST(Fleet, OfThePodsOnlyThoseThatAreNotBoundAreInIt) {
  cycle::Cycle cycle({.scheduler = SchedulerName("gpu-scheduler"), .leader = "me"});
  model::Node node;
  node.name = NodeName("n");
  node.gpu_capacity = 4;
  node.allocatable.gpus = 4;
  std::vector<model::Event> events{model::NodeSeen{node}};
  for (const std::string name : {"bound", "waits"}) {
    model::Pod pod;
    pod.ref = {Namespace("team"), PodName(name), PodUid("uid-" + name)};
    pod.scheduler = SchedulerName("gpu-scheduler");
    if (name == "bound") pod.node = node.name;
    events.emplace_back(model::PodSeen{pod});
  }
  (void)cycle.RunOnce(events, TimePoint());
  explain::PlaceableSets sets;
  const Fleet fleet = PrintFleet(ReportFleet(cycle, sets, TimePoint()));
  EXPECT_THAT(fleet.nodes.at("n"), HasSubstr(R"("state":"free")"));
  ASSERT_EQ(fleet.pods.size(), 1U);
  EXPECT_THAT(fleet.pods.at("uid-waits"), HasSubstr(R"("phase":"waiting")"));
  EXPECT_THAT(fleet.placeable, HasSubstr(R"({"size":4,"any":1,"island":0})"));
}

}  // namespace
}  // namespace gs::scheduler
