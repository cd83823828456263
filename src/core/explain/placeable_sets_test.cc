#include "core/explain/placeable_sets.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace gs::explain {
namespace {

using Sizes = std::array<std::int64_t, 4>;

// Eight GPUs in two islands of four.
model::Machine TwoIslands() {
  model::Machine machine;
  for (std::int32_t id = 0; id < 8; ++id) {
    model::GpuDevice device;
    device.id = GpuId(id);
    device.island = IslandName(id < 4 ? "left" : "right");
    machine.devices.push_back(device);
  }
  machine.links = model::LinkMatrix(machine.devices.size());
  return machine;
}

model::Node Node(const std::string& name) {
  model::Node node;
  node.name = NodeName(name);
  node.gpu_capacity = 8;
  node.allocatable.gpus = 8;
  return node;
}

class PlaceableSetsTest : public testing::Test {
 protected:
  PlaceableSetsTest() : seen_({.scheduler = SchedulerName("gpu-scheduler")}) {
    for (const std::string name : {"a", "b"}) {
      Tell(model::NodeSeen{Node(name)});
      Tell(model::MachineSeen{NodeName(name), TwoIslands(), ResourceVersion("1")});
    }
  }
  void Tell(const model::Event& event) { (void)seen_.Apply(event, TimePoint()); }
  void Take(const std::string& pod_name, const std::vector<GpuId>& ids) {
    model::Pod pod;
    pod.ref = {Namespace("team"), PodName(pod_name), PodUid("uid-" + pod_name)};
    pod.scheduler = SchedulerName("gpu-scheduler");
    pod.node = NodeName("a");
    model::Allocation allocation;
    allocation.pod = pod.ref.uid;
    allocation.gpus = {NodeName("a"), ids};
    pod.annotations = model::ResultAnnotations(allocation);
    Tell(model::PodSeen{pod});
  }

  cache::Cache seen_;
  PlaceableSets sets_;
};

TEST_F(PlaceableSetsTest, FreeGpusMakeSetsAnywhereAndInIslands) {
  const auto now = sets_.Update(seen_);
  EXPECT_EQ(now.anywhere, (Sizes{16, 8, 4, 2}));
  EXPECT_EQ(now.in_islands, (Sizes{16, 8, 4, 0}));
}

TEST_F(PlaceableSetsTest, OnlyNodesThatChangedAreCountedAgain) {
  (void)sets_.Update(seen_);
  EXPECT_EQ(sets_.counted(), 2);
  Take("one", {GpuId(0), GpuId(4)});
  const auto now = sets_.Update(seen_);
  EXPECT_EQ(sets_.counted(), 3);
  EXPECT_EQ(now.anywhere, (Sizes{14, 7, 3, 1}));
  EXPECT_EQ(now.in_islands, (Sizes{14, 6, 2, 0}));
  EXPECT_EQ(sets_.Update(seen_), PlaceableSets().Update(seen_));
  EXPECT_EQ(sets_.counted(), 3);
}

TEST_F(PlaceableSetsTest, NodesThatAreCordonedOrGoneOfferNothing) {
  (void)sets_.Update(seen_);
  model::Node cordoned = Node("a");
  cordoned.is_unschedulable = true;
  Tell(model::NodeSeen{cordoned});
  EXPECT_EQ(sets_.Update(seen_).anywhere, (Sizes{8, 4, 2, 1}));
  Tell(model::NodeGone{NodeName("b")});
  Tell(model::MachineGone{NodeName("b")});
  EXPECT_EQ(sets_.Update(seen_), score::SetCounts{});
}

TEST_F(PlaceableSetsTest, WhatBreaksOrIsTakenByOthersIsNotOffered) {
  model::Machine broken = TwoIslands();
  broken.devices[7].health = model::Health::kUnhealthy;
  Tell(model::MachineSeen{NodeName("a"), broken, ResourceVersion("2")});
  model::Pod foreign;
  foreign.ref = {Namespace("team"), PodName("foreign"), PodUid("uid-foreign")};
  foreign.scheduler = SchedulerName("default-scheduler");
  foreign.node = NodeName("b");
  foreign.requests.gpus = 7;
  Tell(model::PodSeen{foreign});
  const auto now = sets_.Update(seen_);
  EXPECT_EQ(now.anywhere, (Sizes{8, 3, 1, 0}));
  EXPECT_EQ(now.in_islands, (Sizes{8, 3, 1, 0}));
}

}  // namespace
}  // namespace gs::explain
