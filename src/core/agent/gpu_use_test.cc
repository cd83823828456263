#include "core/agent/gpu_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/agent/values_for_test.h"

namespace gs::agent {
namespace {

using ::testing::ElementsAre;
using testing::HeldBy;
using ::testing::IsEmpty;
using testing::MachineWith;
using testing::PlanFor;
using testing::ProcessesOf;
using testing::RefOf;

class GpuUseTest : public ::testing::Test {
 protected:
  GpuUse Find() {
    return FindUse({.machine = machine,
                    .processes = ProcessesOf(running),
                    .held = held,
                    .pods = pods,
                    .gone = gone,
                    .strangers = strangers});
  }
  void AddPod(const std::string& name, const std::vector<int>& ids,
              const std::vector<std::string>& uuids = {}) {
    pods.push_back({.ref = RefOf(name), .plan = PlanFor(name, ids, uuids)});
  }

  model::Machine machine = MachineWith({"A", "B", "C"});
  std::vector<std::vector<PodUid>> running;
  std::vector<Held> held;
  std::vector<LivePod> pods;
  std::vector<model::PodRef> gone;
  std::set<std::string> strangers;
};

TEST_F(GpuUseTest, APlanShowsOnItsGpusInOrder) {
  AddPod("b", {1});
  AddPod("a", {1, 2});
  const GpuUse use = Find();
  EXPECT_THAT(use.in_use_by,
              ElementsAre(IsEmpty(), ElementsAre("team/a", "team/b"), ElementsAre("team/a")));
  EXPECT_THAT(use.residue, ElementsAre(IsEmpty(), IsEmpty(), IsEmpty()));
}

TEST_F(GpuUseTest, WhatAPluginGaveCountsInsteadOfThePlan) {
  AddPod("a", {0, 1});
  held = {HeldBy("a", {"C", "B"})};
  const GpuUse use = Find();
  EXPECT_THAT(use.in_use_by, ElementsAre(IsEmpty(), ElementsAre("team/a"), ElementsAre("team/a")));
  EXPECT_THAT(use.mismatches,
              ElementsAre(Mismatch{RefOf("a"), {GpuId(0), GpuId(1)}, {GpuId(1), GpuId(2)}}));
}

TEST_F(GpuUseTest, ThePlannedGpusInAnotherOrderAreNoMismatch) {
  AddPod("a", {1, 0});
  held = {HeldBy("a", {"A", "B"})};
  EXPECT_THAT(Find().mismatches, IsEmpty());
}

TEST_F(GpuUseTest, AForeignPodIsKnownByWhatAPluginGaveIt) {
  pods.push_back({.ref = RefOf("foreign")});
  held = {HeldBy("foreign", {"B"})};
  const GpuUse use = Find();
  EXPECT_THAT(use.in_use_by, ElementsAre(IsEmpty(), ElementsAre("team/foreign"), IsEmpty()));
  EXPECT_THAT(use.mismatches, IsEmpty());
}

TEST_F(GpuUseTest, ADeviceIsFoundByUuidNumberOrAddressAndWithReplicas) {
  EXPECT_EQ(FindDevice(machine, "B"), 1U);
  EXPECT_EQ(FindDevice(machine, "B::3"), 1U);
  EXPECT_EQ(FindDevice(machine, "2"), 2U);
  EXPECT_EQ(FindDevice(machine, "0000:03:00.0"), 2U);
  machine.devices[0].pci_bus_id = "0000000A:1F:00.0";
  EXPECT_EQ(FindDevice(machine, "000a:1f:00.0"), 0U);
  EXPECT_EQ(FindDevice(machine, "3"), std::nullopt);
  EXPECT_EQ(FindDevice(machine, "MIG-1"), std::nullopt);
  EXPECT_EQ(FindDevice(machine, ""), std::nullopt);
}

TEST_F(GpuUseTest, ProcessesAndEntriesOfGonePodsAreResidue) {
  gone = {RefOf("a"), RefOf("b")};
  running = {{PodUid("uid-a")}, {}, {}};
  held = {HeldBy("b", {"C"})};
  const GpuUse use = Find();
  EXPECT_THAT(use.residue,
              ElementsAre(ElementsAre(PodUid("uid-a")), IsEmpty(), ElementsAre(PodUid("uid-b"))));
  EXPECT_THAT(use.unknown, IsEmpty());
}

// The kubelet knows no UIDs: an entry under a name that is in use again is that of the new pod.
TEST_F(GpuUseTest, WhereTheNameIsInUseAgainProcessesAloneAreResidue) {
  pods.push_back({.ref = {Namespace("team"), PodName("a"), PodUid("uid-new")}});
  gone = {RefOf("a")};
  held = {HeldBy("a", {"A"})};
  running = {{}, {PodUid("uid-a")}, {}};
  const GpuUse use = Find();
  EXPECT_THAT(use.in_use_by, ElementsAre(ElementsAre("team/a"), IsEmpty(), IsEmpty()));
  EXPECT_THAT(use.residue, ElementsAre(IsEmpty(), ElementsAre(PodUid("uid-a")), IsEmpty()));
}

TEST_F(GpuUseTest, WhatNobodyKnowsIsResidueOnlyOnceItIsBelieved) {
  running = {{PodUid("uid-x"), PodUid("")}, {}, {}};
  held = {HeldBy("y", {"B"})};
  EXPECT_THAT(Find().residue, ElementsAre(IsEmpty(), IsEmpty(), IsEmpty()));
  EXPECT_THAT(Find().unknown, ElementsAre("team/y", "uid-x"));
  strangers = {"uid-x", "team/y"};
  EXPECT_THAT(Find().residue,
              ElementsAre(ElementsAre(PodUid("uid-x")), ElementsAre(PodUid("team/y")), IsEmpty()));
}

TEST_F(GpuUseTest, ShiftedGpusAreRenumberedAtBothNumbers) {
  AddPod("a", {0}, {"B"});
  EXPECT_THAT(Find().renumbered, ElementsAre(Renumbered{0, RefOf("a")}, Renumbered{1, RefOf("a")}));
}

TEST_F(GpuUseTest, AGpuWhoseOldNumberIsGoneIsRenumbered) {
  AddPod("a", {7}, {"B"});
  EXPECT_THAT(Find().renumbered, ElementsAre(Renumbered{1, RefOf("a")}));
}

TEST_F(GpuUseTest, NothingIsRenumberedWhereIdentityFitsOrIsNotKnown) {
  AddPod("a", {0, 1}, {"A", "B"});
  AddPod("b", {2});
  machine.devices[2].uuid = {};
  AddPod("c", {2}, {"Z"});
  EXPECT_THAT(Find().renumbered, IsEmpty());
}

}  // namespace
}  // namespace gs::agent
