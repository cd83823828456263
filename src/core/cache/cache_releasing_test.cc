// Pods that went without a proper end, and what agents report as left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/cache/cache.h"
#include "core/cache/cache_for_test.h"

namespace gs::cache {
namespace {

using std::chrono::minutes;
using testing::IsEmpty;

class CacheReleasingTest : public CacheTest {};

// Its lists may come in any order.
TEST_F(CacheReleasingTest, UntilAllReportsAreToldAnyNodeMayHaveAnAgent) {
  const model::Pod pod = Waiting("a");
  model::Pod failed = Bound(pod, Gpus(pod, {GpuId(0)}));
  failed.phase = model::PodPhase::kFailed;
  failed.had_running_container = true;
  (void)See(model::PodSeen{failed});
  EXPECT_EQ(HoldersOf(0), Names{"a"});
  EXPECT_TRUE(cache_.IsReleasing(pod.ref.uid));
  EXPECT_EQ(node().handover(), Handover::kDirect);
  EXPECT_EQ(See(model::ViewReached{model::Kind::kMachine, ResourceVersion("1")}),
            (Kinds{ChangeKind::kReleaseEnded, ChangeKind::kGpusFreed}));
  EXPECT_THAT(HoldersOf(0), IsEmpty());
  EXPECT_EQ(node().handover(), Handover::kNone);
}

TEST_F(CacheReleasingTest,
       APodThatIsDeclaredEndedWhileItRunsKeepsItsGpusUntilTheAgentSaysOtherwise) {
  (void)See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("5")});
  const model::Pod pod = Waiting("a");
  model::Pod failed = Bound(pod, Gpus(pod, {GpuId(0)}));
  failed.had_running_container = true;
  (void)See(model::PodSeen{failed});
  failed.phase = model::PodPhase::kFailed;
  failed.resource_version = ResourceVersion("20");
  EXPECT_EQ(See(model::PodSeen{failed}), (Kinds{ChangeKind::kRoomFreed, ChangeKind::kPodLeft}));
  EXPECT_EQ(HoldersOf(0), Names{"a"});
  EXPECT_EQ(node().used.cpu_milli, 0);
  // Neither that somebody edits it nor that it is deleted frees anything, or begins anew.
  (void)See(model::PodSeen{failed}, kNow + minutes(1));
  (void)See(model::PodGone{pod.ref, ResourceVersion("30")}, kNow + minutes(1));
  EXPECT_EQ(HoldersOf(0), Names{"a"});
  EXPECT_EQ(cache_.NextWake(), kNow + minutes(2));
  (void)See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("21")});
  EXPECT_THAT(HoldersOf(0), IsEmpty());
  EXPECT_FALSE(cache_.IsReleasing(pod.ref.uid));
}

TEST_F(CacheReleasingTest, AKubeletThatSaysThatContainersHaveEndedIsBelieved) {
  (void)See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("5")});
  const model::Pod pod = Waiting("a");
  model::Pod failed = Bound(pod, Gpus(pod, {GpuId(0)}));
  failed.phase = model::PodPhase::kFailed;
  failed.had_running_container = true;
  failed.resource_version = ResourceVersion("20");
  (void)See(model::PodSeen{failed});
  model::Machine busy = Machine({"A", "B"});
  busy.devices[0].residue = {pod.ref.uid};
  (void)See(model::MachineSeen{kNode, busy, ResourceVersion("21")});
  failed.had_running_container = false;
  (void)See(model::PodSeen{failed});
  EXPECT_EQ(HoldersOf(0), Names{"a"}) << "unless the agent contradicts it";
  (void)See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("22")});
  EXPECT_THAT(HoldersOf(0), IsEmpty());
  failed.had_running_container = true;
  (void)See(model::PodSeen{failed});
  EXPECT_FALSE(cache_.IsReleasing(pod.ref.uid)) << "once is enough";
}

TEST_F(CacheReleasingTest, WhatAnAgentReportsAsLeftIsKeptBackWhoeverSawThePodGo) {
  model::Machine busy = Machine({"A", "B"});
  busy.devices[1].residue = {PodUid("uid-a")};
  EXPECT_THAT(See(model::MachineSeen{kNode, busy, ResourceVersion("5")}),
              testing::Contains(ChangeKind::kReleaseStarted));
  EXPECT_TRUE(cache_.IsReleasing(PodUid("uid-a")));
  EXPECT_THAT(HoldersOf(0), IsEmpty());
  EXPECT_EQ(HoldersOf(1).size(), 1U);
  // It follows the GPU.
  model::Machine renumbered = Machine({"B", "A"});
  renumbered.devices[0].residue = {PodUid("uid-a")};
  EXPECT_THAT(See(model::MachineSeen{kNode, renumbered, ResourceVersion("6")}),
              testing::Contains(ChangeKind::kGpusFreed));
  EXPECT_EQ(HoldersOf(0).size(), 1U);
  EXPECT_THAT(HoldersOf(1), IsEmpty());
  EXPECT_EQ(See(model::MachineSeen{kNode, Machine({"B", "A"}), ResourceVersion("7")}),
            (Kinds{ChangeKind::kReleaseEnded, ChangeKind::kGpusFreed}));
  EXPECT_TRUE(node().releasing_pods.empty());
}

TEST_F(CacheReleasingTest, WhatIsReportedAsLeftOfALivePodIsNotKeptBackBeforeItGoes) {
  model::Machine busy = Machine({"A", "B"});
  busy.devices[1].residue = {PodUid("uid-a")};
  (void)See(model::MachineSeen{kNode, busy, ResourceVersion("5")});
  const model::Pod pod = Waiting("a");
  const model::Pod bound = Bound(pod, Gpus(pod, {GpuId(0)}));
  // The lists come in any order: it lives.
  (void)See(model::PodSeen{bound});
  EXPECT_FALSE(cache_.IsReleasing(pod.ref.uid));
  EXPECT_THAT(HoldersOf(1), IsEmpty());
  (void)See(model::MachineSeen{kNode, busy, ResourceVersion("6")}, kNow + minutes(1));
  EXPECT_FALSE(cache_.IsReleasing(pod.ref.uid));
  (void)See(model::PodGone{pod.ref, ResourceVersion("7")}, kNow + minutes(1));
  EXPECT_TRUE(cache_.IsReleasing(pod.ref.uid));
  EXPECT_EQ(HoldersOf(1).size(), 1U);
  EXPECT_EQ(cache_.NextWake(), kNow + minutes(3));
}

TEST_F(CacheReleasingTest, WhatAnAgentGoesOnReportingIsKeptBackOnce) {
  model::Machine busy = Machine({"A", "B"});
  busy.devices[0].residue = {PodUid("uid-a")};
  (void)See(model::MachineSeen{kNode, busy, ResourceVersion("5")});
  const auto changes = cache_.Tick(kNow + minutes(2));
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].kind, ChangeKind::kReleaseTimedOut);
  EXPECT_EQ(changes[0].node, kNode);
  EXPECT_NE(changes[0].message.find("nothing of pod uid-a is left"), std::string::npos);
  EXPECT_THAT(HoldersOf(0), IsEmpty());
  EXPECT_EQ(cache_.NextWake(), std::nullopt);
  (void)See(model::MachineSeen{kNode, busy, ResourceVersion("6")}, kNow + minutes(3));
  EXPECT_THAT(HoldersOf(0), IsEmpty());
  // Only if it was away in between.
  (void)See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("7")});
  (void)See(model::MachineSeen{kNode, busy, ResourceVersion("8")});
  EXPECT_EQ(HoldersOf(0).size(), 1U);
}

TEST_F(CacheReleasingTest, AGonePodKeepsItsGpusAlsoUnderTheirNewNumbers) {
  (void)See(model::MachineSeen{kNode, Machine({"A", "B", "C"}), ResourceVersion("5")});
  const model::Pod pod = Waiting("a");
  model::Allocation allocation = Gpus(pod, {GpuId(0)});
  allocation.uuids = {GpuUuid("A")};
  model::Pod running = Bound(pod, allocation);
  running.had_running_container = true;
  (void)See(model::PodSeen{running});
  (void)See(model::PodGone{pod.ref, ResourceVersion("20")});
  (void)See(model::MachineSeen{kNode, Machine({"B", "A", "C"}), ResourceVersion("19")});
  EXPECT_EQ(HoldersOf(0), Names{"a"});
  EXPECT_EQ(HoldersOf(1), Names{"a"});
  EXPECT_THAT(HoldersOf(2), IsEmpty());
}

model::MachineSeen Showing(const std::string& name, const std::string& version) {
  model::MachineSeen seen{kNode, Machine({"A", "B"}), ResourceVersion(version)};
  seen.machine.devices[0].in_use_by = {name};
  return seen;
}

// The agent has not noticed yet, and nobody is left who saw the pod go.
TEST_F(CacheReleasingTest, WhomAReportShowsAndNobodySeesHasGoneBeforeWeCame) {
  (void)See(Showing("team/a", "5"));
  (void)See(model::ViewReached{model::Kind::kMachine, ResourceVersion("20")});
  EXPECT_EQ(See(model::ViewReached{model::Kind::kPod, ResourceVersion("20")}),
            Kinds{ChangeKind::kReleaseStarted});
  EXPECT_EQ(HoldersOf(0), Names{"a"});
  EXPECT_THAT(HoldersOf(1), IsEmpty());
  (void)See(Showing("team/a", "21"));
  EXPECT_EQ(HoldersOf(0), Names{"a"}) << "it was on its way";
  model::Machine left = Machine({"A", "B"});
  left.devices[0].residue = {PodUid("uid-a")};
  (void)See(model::MachineSeen{kNode, left, ResourceVersion("22")});
  EXPECT_EQ(HoldersOf(0).size(), 1U);
  (void)See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("23")});
  EXPECT_THAT(HoldersOf(0), IsEmpty());
  EXPECT_TRUE(node().releasing_pods.empty());
}

TEST_F(CacheReleasingTest, WhomAReportShowsAndWhoIsSeenThereIsNothingUnusual) {
  const model::Pod pod = Waiting("a");
  (void)See(Showing("team/a", "5"));
  (void)See(model::ViewReached{model::Kind::kMachine, ResourceVersion("20")});
  (void)See(model::ViewReached{model::Kind::kPod, ResourceVersion("4")});
  EXPECT_EQ(HoldersOf(0), Names{"a"}) << "the report is ahead";
  EXPECT_THAT(See(model::PodSeen{Bound(pod, Gpus(pod, {GpuId(0)}))}),
              testing::Contains(ChangeKind::kReleaseEnded));
  EXPECT_EQ(HoldersOf(0), Names{"a"});
  EXPECT_EQ(cache_.NextWake(), std::nullopt);
  // One that goes properly later is free at once.
  model::Pod done = Bound(pod, Gpus(pod, {GpuId(0)}));
  done.phase = model::PodPhase::kSucceeded;
  (void)See(model::PodSeen{done});
  EXPECT_THAT(HoldersOf(0), IsEmpty());
}

// As after a watch that was interrupted for long.
TEST_F(CacheReleasingTest, WhoCameAndWentBetweenTwoListsHasGoneUnseen) {
  (void)See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("5")});
  (void)See(model::ViewReached{model::Kind::kMachine, ResourceVersion("5")});
  (void)See(model::ViewReached{model::Kind::kPod, ResourceVersion("5")});
  (void)See(model::PodSeen{Waiting("a")});
  (void)See(Showing("team/a", "8"));
  (void)See(model::ViewReached{model::Kind::kPod, ResourceVersion("6")});
  EXPECT_THAT(HoldersOf(0), IsEmpty()) << "it may be told yet";
  (void)See(model::PodGone{Waiting("a").ref, ResourceVersion("10")});
  EXPECT_EQ(See(model::ViewReached{model::Kind::kPod, ResourceVersion("10"), true}),
            Kinds{ChangeKind::kReleaseStarted});
  EXPECT_EQ(HoldersOf(0), Names{"a"});
  (void)See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("11")});
  EXPECT_THAT(HoldersOf(0), IsEmpty());
}

TEST_F(CacheReleasingTest, ANamesakeElsewhereDoesNotStandForAPodThatIsGone) {
  (void)See(Showing("team/a", "5"));
  const model::Pod pod = Waiting("a");
  model::Pod running = Bound(pod, Gpus(pod, {GpuId(0)}));
  running.had_running_container = true;
  (void)See(model::PodSeen{running});
  (void)See(model::PodGone{pod.ref, ResourceVersion("20")});
  model::Pod again = Waiting("a");
  again.ref.uid = PodUid("uid-a-2");
  (void)See(model::PodSeen{again});
  (void)See(Showing("team/a", "21"));
  EXPECT_EQ(HoldersOf(0), Names{"a"}) << "the report was on its way when the first one went";
  (void)See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("22")});
  EXPECT_THAT(HoldersOf(0), IsEmpty());
}

// As long as nobody says which GPUs a plugin gave it, they may be any.
TEST_F(CacheReleasingTest, ADevicePluginsPodThatVanishedIsCountedUntilTheAgentSaysOtherwise) {
  (void)See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("5")});
  model::Pod foreign = Waiting("f");
  foreign.scheduler = SchedulerName("default-scheduler");
  foreign.requests.gpus = 1;
  foreign.node = kNode;
  foreign.had_running_container = true;
  (void)See(model::PodSeen{foreign});
  (void)See(model::PodGone{foreign.ref, ResourceVersion("20")});
  EXPECT_EQ(node().handover(), Handover::kCounted);
  EXPECT_EQ(node().used.gpus, 0);
  EXPECT_EQ(See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("21")}),
            Kinds{ChangeKind::kReleaseEnded});
  EXPECT_EQ(node().handover(), Handover::kNone);
}

}  // namespace
}  // namespace gs::cache
