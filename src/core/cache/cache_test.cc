#include "core/cache/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/cache/cache_for_test.h"

namespace gs::cache {
namespace {

using model::AllocationMode;
using std::chrono::minutes;
using testing::ElementsAre;
using testing::IsEmpty;

// Another release is committing the pod.
model::FenceSeen InFence(const std::vector<model::Pod>& pods, GpuId gpu,
                         const NodeName& node = kNode) {
  model::FenceSeen seen;
  for (const model::Pod& pod : pods) {
    seen.others.push_back({.in_flight = {.pod = pod.ref,
                                         .noted = ResourceVersion("1"),
                                         .gpus = {node, {gpu}},
                                         .mode = AllocationMode::kShared}});
  }
  return seen;
}

TEST_F(CacheTest, ABoundPodHoldsItsGpusUntilItIsTerminalOrDeleted) {
  const model::Pod pod = Waiting("a");
  EXPECT_EQ(See(model::PodSeen{pod}), Kinds{ChangeKind::kPodWaits});
  const model::Pod bound = Bound(pod, Gpus(pod, {GpuId(0), GpuId(1)}));
  EXPECT_EQ(See(model::PodSeen{bound}), Kinds{ChangeKind::kPodBound});
  EXPECT_EQ(HoldersOf(0), Names{"a"});
  EXPECT_EQ(node().used.cpu_milli, 100);
  EXPECT_EQ(node().handover(), Handover::kDirect);

  model::Pod terminating = bound;
  terminating.is_terminating = true;
  EXPECT_THAT(See(model::PodSeen{terminating}), IsEmpty());
  EXPECT_EQ(HoldersOf(1), Names{"a"});

  model::Pod done = bound;
  done.phase = model::PodPhase::kSucceeded;
  EXPECT_EQ(See(model::PodSeen{done}),
            (Kinds{ChangeKind::kGpusFreed, ChangeKind::kRoomFreed, ChangeKind::kPodLeft}));
  EXPECT_THAT(HoldersOf(0), IsEmpty());
  EXPECT_EQ(node().used.cpu_milli, 0);
  EXPECT_THAT(See(model::PodGone{done.ref}), IsEmpty());
}

TEST_F(CacheTest, AnAssumedPodHoldsUntilItIsTakenBack) {
  const model::Pod pod = Waiting("a");
  (void)See(model::PodSeen{pod});
  cache_.Assume(pod.ref.uid, kNode, Gpus(pod, {GpuId(3)}));
  EXPECT_EQ(HoldersOf(3), Names{"a"});
  EXPECT_EQ(node().pods_used, 1);
  const auto changes = cache_.TakeBack(pod.ref.uid);
  EXPECT_EQ(changes.size(), 2U);
  EXPECT_THAT(HoldersOf(3), IsEmpty());
  EXPECT_EQ(node().pods_used, 0);
}

TEST_F(CacheTest, AnAssumptionGivesWayToWhatIsSeen) {
  const model::Pod pod = Waiting("a");
  (void)See(model::PodSeen{pod});
  cache_.Assume(pod.ref.uid, kNode, Gpus(pod, {GpuId(3)}));
  (void)See(model::PodSeen{Bound(pod, Gpus(pod, {GpuId(3)}))});
  EXPECT_EQ(HoldersOf(3), Names{"a"});
  EXPECT_EQ(node().pods_used, 1);
  EXPECT_THAT(cache_.TakeBack(pod.ref.uid), IsEmpty());
  EXPECT_EQ(HoldersOf(3), Names{"a"});
}

TEST_F(CacheTest, WhatIsInTheFenceCountsAlsoWhereItsPodIsNotSeen) {
  (void)See(InFence({Waiting("ghost")}, GpuId(2)));
  EXPECT_EQ(HoldersOf(2), Names{"ghost"});
  EXPECT_EQ(See(model::FenceSeen{}), Kinds{ChangeKind::kGpusFreed});
  EXPECT_THAT(HoldersOf(2), IsEmpty());
}

TEST_F(CacheTest, AFenceThatChangesFreesNothingForThoseWhoStay) {
  (void)See(InFence({Waiting("a"), Waiting("b")}, GpuId(2)));
  EXPECT_EQ(See(InFence({Waiting("b")}, GpuId(2))), Kinds{ChangeKind::kGpusFreed});
  EXPECT_EQ(HoldersOf(2), Names{"b"});
  model::FenceSeen noted_anew = InFence({Waiting("b")}, GpuId(2));
  noted_anew.others[0].in_flight.noted = ResourceVersion("2");
  EXPECT_THAT(See(noted_anew), IsEmpty());
  EXPECT_EQ(HoldersOf(2), Names{"b"});
}

TEST_F(CacheTest, NobodyJoinsWhatAnotherReleaseIsCommitting) {
  (void)See(InFence({Waiting("theirs")}, GpuId(2)));
  EXPECT_EQ(node().holders.Of(GpuId(2))[0].mode, AllocationMode::kExclusive);
}

TEST_F(CacheTest, WhoeverAnotherReleaseIsBindingIsKnownToItsNode) {
  model::FenceSeen seen = InFence({Waiting("theirs")}, GpuId(2));
  seen.others[0].scheduler = SchedulerName("other");
  (void)See(seen);
  EXPECT_THAT(node().others_pods,
              ElementsAre(OthersPod{Waiting("theirs").ref, SchedulerName("other"), false}));
  seen.others[0].in_flight.is_enforced = false;
  seen.others[0].is_silent = true;
  (void)See(seen);
  EXPECT_THAT(node().others_pods,
              ElementsAre(OthersPod{Waiting("theirs").ref, SchedulerName("other"), true}));
  (void)See(model::FenceSeen{});
  EXPECT_THAT(node().others_pods, IsEmpty());
}

// While it was in the fence, nobody who is counted could go to its node.
TEST_F(CacheTest, ACountedPodThatIsBoundAndLeavesTheFenceLeavesRoom) {
  const model::Pod pod = Waiting("theirs");
  const model::Pod bound = Bound(pod, Gpus(pod, {GpuId(2)}));
  model::FenceSeen seen = InFence({pod}, GpuId(2));
  (void)See(seen);
  (void)See(model::PodSeen{bound});
  EXPECT_THAT(See(model::FenceSeen{}), IsEmpty()) << "it has ids, and keeps them";
  seen.others[0].in_flight.is_enforced = false;
  (void)See(seen);
  seen.others[0].is_silent = true;
  EXPECT_THAT(See(seen), IsEmpty());
  EXPECT_EQ(See(model::FenceSeen{}), Kinds{ChangeKind::kGpusFreed});
  EXPECT_EQ(HoldersOf(2), Names{"theirs"});
}

TEST_F(CacheTest, ACountedPodWithoutIdsInTheFenceIsKnownToAnUnknownNode) {
  const NodeName ghost("ghost");
  model::FenceSeen seen = InFence({Waiting("theirs")}, GpuId(2), ghost);
  seen.others[0].in_flight.gpus.ids.clear();
  seen.others[0].in_flight.is_enforced = false;
  (void)See(seen);
  (void)See(model::NodeGone{ghost});
  ASSERT_NE(cache_.FindNode(ghost), nullptr);
  EXPECT_EQ(See(model::FenceSeen{}), Kinds{ChangeKind::kGpusFreed});
  EXPECT_EQ(cache_.FindNode(ghost), nullptr);
}

// A user may delete them, or write others.
TEST_F(CacheTest, GpuLeasesHoldNothing) {
  model::GpuLease lease;
  lease.name = model::LeaseNameOf(kNode, GpuId(2));
  lease.node = kNode;
  lease.gpu = GpuId(2);
  lease.holders = {{Waiting("a").ref, {GpuId(2)}, AttemptId("t")}};
  EXPECT_THAT(See(model::LeaseSeen{lease}), IsEmpty());
  EXPECT_THAT(HoldersOf(2), IsEmpty());
  EXPECT_EQ(cache_.leases().size(), 1U);
  EXPECT_THAT(See(model::LeaseGone{lease.name, lease.uid}), IsEmpty());
  EXPECT_TRUE(cache_.leases().empty());
}

TEST_F(CacheTest, EditedResultsAreReportedOnceAndNotBelieved) {
  const model::Pod pod = Waiting("a");
  (void)See(model::PodSeen{Bound(pod, Gpus(pod, {GpuId(0)}))});
  const model::Pod edited = Bound(pod, Gpus(pod, {GpuId(1)}));
  EXPECT_EQ(See(model::PodSeen{edited}), Kinds{ChangeKind::kAnnotationEdited});
  EXPECT_NE(last_[0].message.find("n1:0"), std::string::npos);
  EXPECT_EQ(HoldersOf(0), Names{"a"});
  EXPECT_THAT(HoldersOf(1), IsEmpty());
  EXPECT_THAT(See(model::PodSeen{edited}), IsEmpty());
}

// A release may have been renamed since, or be one of several.
TEST_F(CacheTest, ABoundPodHoldsItsGpusWhateverItsSchedulerIsCalled) {
  model::Pod foreign = Waiting("f");
  foreign.scheduler = SchedulerName("renamed");
  (void)See(model::PodSeen{Bound(foreign, Gpus(foreign, {GpuId(0), GpuId(1)}))});
  EXPECT_EQ(HoldersOf(0), Names{"f"});
  EXPECT_EQ(HoldersOf(1), Names{"f"});
}

TEST_F(CacheTest, ADevicePluginsPodOnADirectNodeIsReported) {
  const model::Pod pod = Waiting("a");
  (void)See(model::PodSeen{Bound(pod, Gpus(pod, {GpuId(0)}))});
  model::Pod foreign = Waiting("f");
  foreign.scheduler = SchedulerName("default-scheduler");
  foreign.requests.gpus = 1;
  foreign.node = kNode;
  EXPECT_EQ(See(model::PodSeen{foreign}),
            (Kinds{ChangeKind::kForeignOnDirect, ChangeKind::kForeignOnDirect}));
  EXPECT_EQ(last_[0].pod, foreign.ref);
  EXPECT_EQ(last_[1].pod, pod.ref);
  EXPECT_EQ(node().handover(), Handover::kMixed);
}

TEST_F(CacheTest, EveryGpuResourceIsCountedOnItsNode) {
  for (const char* resource :
       {"amd.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.5gb", "gpu.intel.com/i915"}) {
    model::Pod foreign = Waiting("f");
    foreign.scheduler = SchedulerName("default-scheduler");
    foreign.requests.others[resource] = 1;
    foreign.node = kNode;
    (void)See(model::PodSeen{foreign});
    EXPECT_EQ(node().handover(), Handover::kCounted) << resource;
    EXPECT_EQ(node().used.Other(resource), 1);
    (void)See(model::PodGone{foreign.ref});
    EXPECT_EQ(node().handover(), Handover::kNone) << resource;
    EXPECT_TRUE(node().used.others.empty());
  }
}

TEST_F(CacheTest, AForceDeletedPodKeepsItsGpusUntilTheAgentHasSeenThatNothingIsLeft) {
  (void)See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("5")});
  const model::Pod pod = Waiting("a");
  model::Pod running = Bound(pod, Gpus(pod, {GpuId(0)}));
  running.had_running_container = true;
  (void)See(model::PodSeen{running});
  (void)See(model::PodGone{pod.ref, ResourceVersion("20")});
  EXPECT_EQ(HoldersOf(0), Names{"a"});
  EXPECT_TRUE(cache_.IsReleasing(pod.ref.uid));

  // What the agent saw before the deletion proves nothing.
  (void)See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("19")});
  EXPECT_EQ(HoldersOf(0), Names{"a"});
  model::Machine busy = Machine({"A", "B"});
  busy.devices[0].residue = {pod.ref.uid};
  (void)See(model::MachineSeen{kNode, busy, ResourceVersion("21")});
  EXPECT_EQ(HoldersOf(0), Names{"a"});
  const Kinds kinds = See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("22")});
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), ChangeKind::kGpusFreed), 1);
  EXPECT_THAT(HoldersOf(0), IsEmpty());
}

// The agent wrote it before it knew, and the server took it afterwards.
TEST_F(CacheTest, AReportThatStillShowsTheGonePodEndsNoRelease) {
  (void)See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("5")});
  const model::Pod pod = Waiting("a");
  model::Pod running = Bound(pod, Gpus(pod, {GpuId(0)}));
  running.had_running_container = true;
  (void)See(model::PodSeen{running});
  (void)See(model::PodGone{pod.ref, ResourceVersion("20")});
  model::Machine late = Machine({"A", "B"});
  late.devices[0].in_use_by = {ToString(pod.ref)};
  (void)See(model::MachineSeen{kNode, late, ResourceVersion("21")});
  EXPECT_TRUE(cache_.IsReleasing(pod.ref.uid));
  late.devices[0].in_use_by.clear();
  late.devices[0].residue = {PodUid(ToString(pod.ref))};  // by name: the agent is new
  (void)See(model::MachineSeen{kNode, late, ResourceVersion("22")});
  EXPECT_TRUE(cache_.IsReleasing(pod.ref.uid));
  (void)See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("23")});
  EXPECT_FALSE(cache_.IsReleasing(pod.ref.uid));
}

TEST_F(CacheTest, WhereTheNameIsInUseAgainItIsNotTheGonePodThatIsShown) {
  (void)See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("5")});
  const model::Pod pod = Waiting("a");
  model::Pod running = Bound(pod, Gpus(pod, {GpuId(0)}));
  running.had_running_container = true;
  (void)See(model::PodSeen{running});
  (void)See(model::PodGone{pod.ref, ResourceVersion("20")});
  model::Pod again = Waiting("a");
  again.ref.uid = PodUid("another");
  (void)See(model::PodSeen{Bound(again, Gpus(again, {GpuId(1)}))});
  model::Machine shown = Machine({"A", "B"});
  shown.devices[1].in_use_by = {ToString(pod.ref)};
  (void)See(model::MachineSeen{kNode, shown, ResourceVersion("21")});
  EXPECT_FALSE(cache_.IsReleasing(pod.ref.uid));
}

TEST_F(CacheTest, AReportForAnEarlierNodeOfThatNameIsNotBelieved) {
  model::Node first = Node();
  first.uid = NodeUid("first");
  (void)See(model::NodeSeen{first});
  const auto report = [](const char* owner) {
    return model::MachineSeen{.node = kNode, .machine = Machine({"A"}), .owner = NodeUid(owner)};
  };
  (void)See(report("first"));
  EXPECT_TRUE(node().node.machine.has_value());
  model::Node second = first;
  second.uid = NodeUid("second");
  (void)See(model::NodeGone{kNode});
  (void)See(model::NodeSeen{second});
  EXPECT_FALSE(node().node.machine.has_value());
  (void)See(report("first"));
  EXPECT_FALSE(node().node.machine.has_value());
  (void)See(report("second"));
  EXPECT_TRUE(node().node.machine.has_value());
}

TEST_F(CacheTest, AReportThatIsAheadOfItsNodeIsBelievedWhenTheNodeIsThere) {
  model::Node old = Node();
  old.uid = NodeUid("first");
  (void)See(model::NodeSeen{old});
  (void)See(
      model::MachineSeen{.node = kNode, .machine = Machine({"A"}), .owner = NodeUid("second")});
  EXPECT_FALSE(node().node.machine.has_value());
  model::Node anew = old;
  anew.uid = NodeUid("second");
  (void)See(model::NodeSeen{anew});
  EXPECT_TRUE(node().node.machine.has_value());
  (void)See(model::MachineGone{kNode});
  EXPECT_FALSE(node().node.machine.has_value());
}

TEST_F(CacheTest, WhoUsesAGpuIsNoChangeOfTheMachine) {
  (void)See(model::MachineSeen{kNode, Machine({"A"}), ResourceVersion("5")});
  const std::uint64_t generation = node().machine_generation;
  model::Machine used = Machine({"A"});
  used.devices[0].in_use_by = {"team/a"};
  EXPECT_THAT(See(model::MachineSeen{kNode, used, ResourceVersion("6")}), IsEmpty());
  EXPECT_EQ(node().machine_generation, generation);
  EXPECT_EQ(node().node.machine, used);
}

TEST_F(CacheTest, ReleasingEndsWithATimeOutThatIsTold) {
  (void)See(model::MachineSeen{kNode, Machine({"A"}), ResourceVersion("5")});
  const model::Pod pod = Waiting("a");
  model::Pod running = Bound(pod, Gpus(pod, {GpuId(0)}));
  running.had_running_container = true;
  (void)See(model::PodSeen{running});
  (void)See(model::PodGone{pod.ref, ResourceVersion("20")});
  ASSERT_EQ(cache_.NextWake(), kNow + minutes(2));
  EXPECT_THAT(cache_.Tick(kNow + minutes(1)), IsEmpty());
  const auto changes = cache_.Tick(kNow + minutes(2));
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].kind, ChangeKind::kReleaseTimedOut);
  EXPECT_EQ(changes[1].kind, ChangeKind::kReleaseEnded);
  EXPECT_EQ(changes[2].kind, ChangeKind::kGpusFreed);
  EXPECT_EQ(cache_.NextWake(), std::nullopt);
}

TEST_F(CacheTest, WithoutAnAgentAForceDeletedPodIsGoneAtOnce) {
  (void)See(model::ViewReached{model::Kind::kMachine, ResourceVersion("1")});
  const model::Pod pod = Waiting("a");
  model::Pod running = Bound(pod, Gpus(pod, {GpuId(0)}));
  running.had_running_container = true;
  (void)See(model::PodSeen{running});
  (void)See(model::PodGone{pod.ref, ResourceVersion("20")});
  EXPECT_THAT(HoldersOf(0), IsEmpty());
}

TEST_F(CacheTest, AGpuThatChangedUnderItsHolderIsNotGivenUntilTheHolderIsGone) {
  (void)See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("5")});
  const model::Pod pod = Waiting("a");
  model::Allocation allocation = Gpus(pod, {GpuId(1)});
  allocation.uuids = {GpuUuid("B")};
  (void)See(model::PodSeen{Bound(pod, allocation)});
  EXPECT_TRUE(node().is_healthy(GpuId(1)));
  EXPECT_EQ(See(model::MachineSeen{kNode, Machine({"A", "C"}), ResourceVersion("6")}),
            (Kinds{ChangeKind::kRenumbered, ChangeKind::kMachineChanged}));
  EXPECT_FALSE(node().is_healthy(GpuId(1)));
  EXPECT_TRUE(node().is_healthy(GpuId(0)));
  (void)See(model::PodGone{pod.ref, ResourceVersion("7")});
  EXPECT_TRUE(node().is_healthy(GpuId(1)));
}

TEST_F(CacheTest, AGpuThatHasAnotherNumberNowIsNotGivenUnderThatUntilItsHolderIsGone) {
  (void)See(model::MachineSeen{kNode, Machine({"A", "B", "C"}), ResourceVersion("5")});
  const model::Pod pod = Waiting("a");
  model::Allocation allocation = Gpus(pod, {GpuId(0)});
  allocation.uuids = {GpuUuid("A")};
  (void)See(model::PodSeen{Bound(pod, allocation)});
  (void)See(model::MachineSeen{kNode, Machine({"B", "A", "C"}), ResourceVersion("6")});
  EXPECT_FALSE(node().is_healthy(GpuId(0)));
  EXPECT_FALSE(node().is_healthy(GpuId(1)));
  EXPECT_TRUE(node().is_healthy(GpuId(2)));
  (void)See(model::PodGone{pod.ref, ResourceVersion("7")});
  EXPECT_TRUE(node().is_healthy(GpuId(0)));
  EXPECT_TRUE(node().is_healthy(GpuId(1)));
}

TEST_F(CacheTest, AGpuWhoseNumberIsGoneIsNotGivenUnderAnother) {
  (void)See(model::MachineSeen{kNode, Machine({"A", "B"}), ResourceVersion("5")});
  const model::Pod pod = Waiting("a");
  model::Allocation allocation = Gpus(pod, {GpuId(1)});
  allocation.uuids = {GpuUuid("B")};
  (void)See(model::PodSeen{Bound(pod, allocation)});
  (void)See(model::MachineSeen{kNode, Machine({"B"}), ResourceVersion("6")});
  EXPECT_FALSE(node().is_healthy(GpuId(0)));
}

TEST_F(CacheTest, GpusThatAreRenumberedUnderADecisionAreNotGivenToOthers) {
  (void)See(model::MachineSeen{kNode, Machine({"A", "B", "C"}), ResourceVersion("5")});
  const model::Pod pod = Waiting("a");
  (void)See(model::PodSeen{pod});
  model::Allocation allocation = Gpus(pod, {GpuId(0)});
  allocation.uuids = {GpuUuid("A")};
  cache_.Assume(pod.ref.uid, kNode, allocation);
  (void)See(model::MachineSeen{kNode, Machine({"B", "A", "C"}), ResourceVersion("6")});
  EXPECT_FALSE(node().is_healthy(GpuId(0)));
  EXPECT_FALSE(node().is_healthy(GpuId(1)));
  EXPECT_TRUE(node().is_healthy(GpuId(2)));
  (void)cache_.TakeBack(pod.ref.uid);
  EXPECT_TRUE(node().is_healthy(GpuId(0)));
  EXPECT_TRUE(node().is_healthy(GpuId(1)));
}

TEST_F(CacheTest, APodThatIsResizedDownwardsFreesRoom) {
  model::Pod pod = Waiting("a");
  pod.node = kNode;
  pod.requests.memory_bytes = 1000;
  pod.requests.others["a.com/b"] = 2;
  (void)See(model::PodSeen{pod});
  pod.requests.cpu_milli = 200;
  EXPECT_THAT(See(model::PodSeen{pod}), IsEmpty()) << "upwards helps nobody";
  pod.requests.cpu_milli = 50;
  EXPECT_EQ(See(model::PodSeen{pod}), Kinds{ChangeKind::kRoomFreed});
  EXPECT_EQ(node().used.cpu_milli, 50);
  pod.requests.memory_bytes = 500;
  pod.requests.cpu_milli = 60;
  EXPECT_EQ(See(model::PodSeen{pod}), Kinds{ChangeKind::kRoomFreed});
  pod.requests.others["a.com/b"] = 1;
  EXPECT_EQ(See(model::PodSeen{pod}), Kinds{ChangeKind::kRoomFreed});
}

TEST_F(CacheTest, OfGpusThatAreOnlyCountedTheFirstExist) {
  for (const std::int64_t count : {std::int64_t{65}, std::int64_t{4'000'000'000}}) {
    (void)See(model::NodeSeen{Node(count)});
    EXPECT_EQ(node().gpu_ids().size(), model::kMaxDevices);
    EXPECT_EQ(node().gpu_ids().back(), GpuId(63));
  }
}

TEST_F(CacheTest, ACountThatDropsFreesNothing) {
  const model::Pod pod = Waiting("a");
  (void)See(model::PodSeen{Bound(pod, Gpus(pod, {GpuId(3)}))});
  (void)See(model::NodeSeen{Node(0)});
  EXPECT_EQ(HoldersOf(3), Names{"a"});
  (void)See(model::NodeSeen{Node(4)});
  EXPECT_EQ(HoldersOf(3), Names{"a"});
}

TEST_F(CacheTest, ANodeThatGoesKeepsItsPodsAndComesBackWithThem) {
  const model::Pod pod = Waiting("a");
  (void)See(model::PodSeen{Bound(pod, Gpus(pod, {GpuId(0)}))});
  EXPECT_EQ(See(model::NodeGone{kNode}), Kinds{ChangeKind::kNodeLeft});
  ASSERT_NE(cache_.FindNode(kNode), nullptr);
  EXPECT_FALSE(node().is_known);
  (void)See(model::NodeSeen{Node()});
  EXPECT_TRUE(node().is_known);
  EXPECT_EQ(HoldersOf(0), Names{"a"});
  (void)See(model::PodGone{pod.ref});
  (void)See(model::NodeGone{kNode});
  EXPECT_EQ(cache_.FindNode(kNode), nullptr);
}

TEST_F(CacheTest, IsSyncedOnceEveryKindIsCompleteOrMissing) {
  for (const auto kind : model::kAllKinds) {
    if (kind == model::Kind::kMachine || kind == model::Kind::kClaim) continue;
    (void)See(model::ViewReached{kind, ResourceVersion("1")});
  }
  (void)See(model::KindMissing{model::Kind::kClaim});
  EXPECT_FALSE(cache_.is_synced());
  (void)See(model::KindMissing{model::Kind::kMachine});
  EXPECT_TRUE(cache_.is_synced());
}

TEST_F(CacheTest, ClaimsComeAndGo) {
  model::Claim claim;
  claim.ns = Namespace("team");
  claim.name = ClaimName("pair");
  EXPECT_EQ(See(model::ClaimSeen{claim}), Kinds{ChangeKind::kClaimChanged});
  EXPECT_NE(cache_.FindClaim(claim.ns, claim.name), nullptr);
  EXPECT_EQ(See(model::ClaimGone{claim.ns, claim.name}), Kinds{ChangeKind::kClaimChanged});
  EXPECT_EQ(cache_.FindClaim(claim.ns, claim.name), nullptr);
  EXPECT_THAT(See(model::ClaimGone{claim.ns, claim.name}), IsEmpty());
}

TEST_F(CacheTest, AReportThatWasToldBeforeTheDeletionButIsLaterFreesAtOnce) {
  See(model::MachineSeen{kNode, Machine({"x", "y"}), ResourceVersion("5")});
  const model::Pod pod = Waiting("a");
  model::Pod running = Bound(pod, Gpus(pod, {GpuId(0)}));
  running.had_running_container = true;
  See(model::PodSeen{running});
  See(model::MachineSeen{kNode, Machine({"x", "y"}), ResourceVersion("9")});
  See(model::PodGone{pod.ref, ResourceVersion("8")});
  EXPECT_FALSE(cache_.IsReleasing(pod.ref.uid));
  EXPECT_THAT(HoldersOf(0), IsEmpty());
}

TEST_F(CacheTest, OnlyAPodThatNeverRanIsRejected) {
  const model::Pod pod = Waiting("a");
  model::Pod bound = Bound(pod, Gpus(pod, {GpuId(0)}));
  model::Pod failed = bound;
  failed.phase = model::PodPhase::kFailed;
  EXPECT_THAT(See(model::PodSeen{failed}),
              testing::Not(testing::Contains(ChangeKind::kPodRejected)))
      << "it failed before we came";
  See(model::PodGone{pod.ref, ResourceVersion("1")});
  See(model::PodSeen{bound});  // running
  EXPECT_THAT(See(model::PodSeen{failed}),
              testing::Not(testing::Contains(ChangeKind::kPodRejected)));
  See(model::PodGone{pod.ref, ResourceVersion("2")});
  bound.phase = model::PodPhase::kPending;
  See(model::PodSeen{bound});
  EXPECT_THAT(See(model::PodSeen{failed}), testing::Contains(ChangeKind::kPodRejected));
}

TEST_F(CacheTest, AFenceThatNamesAPodTwiceOnAnUnknownNodeLeavesNothing) {
  See(InFence({Waiting("a"), Waiting("a")}, GpuId(0), NodeName("ghost")));
  See(model::FenceSeen{});
  EXPECT_EQ(cache_.FindNode(NodeName("ghost")), nullptr);
}

}  // namespace
}  // namespace gs::cache
