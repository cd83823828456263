#include "core/model/fence.h"

#include <gtest/gtest.h>

#include <sstream>

namespace gs::model {
namespace {

const PodRef kPod{Namespace("team"), PodName("a"), PodUid("u1")};

InFlightPod OnNode(const std::string& node, std::vector<GpuId> ids) {
  return {.pod = kPod, .noted = ResourceVersion("5"), .gpus = {NodeName(node), std::move(ids)}};
}

InFlightPod Counted(InFlightPod in_flight) {
  in_flight.is_enforced = false;
  return in_flight;
}

TEST(Fence, PodsForTheSameGpuClash) {
  EXPECT_TRUE(Clash(OnNode("n", {GpuId(0), GpuId(1)}), OnNode("n", {GpuId(1), GpuId(2)})));
  EXPECT_FALSE(Clash(OnNode("n", {GpuId(0)}), OnNode("n", {GpuId(1)})));
  EXPECT_FALSE(Clash(OnNode("n", {GpuId(0)}), OnNode("m", {GpuId(0)})));
}

// Nobody knows which GPUs a device plugin gives, and how many are left for it.
TEST(Fence, ACountedPodClashesWithAnyOnItsNode) {
  const InFlightPod direct = OnNode("n", {GpuId(0)});
  EXPECT_TRUE(Clash(direct, Counted(OnNode("n", {GpuId(1)}))));
  EXPECT_TRUE(Clash(Counted(OnNode("n", {GpuId(0)})), Counted(OnNode("n", {GpuId(1)}))));
  EXPECT_FALSE(Clash(direct, Counted(OnNode("m", {GpuId(0)}))));
}

TEST(Fence, AnEntrySaysWhatThePodWouldHold) {
  Allocation allocation;
  allocation.pod = kPod.uid;
  allocation.gpus = {NodeName("n"), {GpuId(2), GpuId(3)}};
  allocation.mode = AllocationMode::kMap;
  allocation.controller = ControllerUid("c1");
  allocation.is_enforced = false;
  const InFlightPod entry = InFlightOf(kPod, ResourceVersion("5"), allocation);
  EXPECT_EQ(AllocationOf(entry), allocation);
  std::ostringstream text;
  text << entry;
  EXPECT_EQ(text.str(), "team/a to n:2,3");
}

}  // namespace
}  // namespace gs::model
