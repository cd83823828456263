#include "core/commit/lease_rule.h"

#include <gtest/gtest.h>

#include <chrono>

#include "core/commit/rig.h"

namespace gs::commit {
namespace {

using model::AllocationMode;
using model::CreateLease;
using model::DeleteLease;
using model::GpuLease;
using model::LeaseAnswered;
using model::LeaseGone;
using model::LeaseSeen;
using model::LookUpPod;
using model::Pod;
using model::PodGone;
using model::PodLookedUp;
using model::PodSeen;
using model::UpdateLease;
using model::WriteOutcome;

const LeaseName kLock = model::LeaseNameOf(kNode, GpuId(0));

class LeaseRuleTest : public testing::Test {
 protected:
  LeaseRuleTest() { rig_.Lead(); }

  static GpuLease LeaseOf(const Pod& pod, AllocationMode mode = AllocationMode::kExclusive) {
    return Stored(LockOf(pod, AllocationOf(pod, {0}, mode), GpuId(0), "a0"), "95");
  }
  static Pod BoundPod(const std::string& name, AllocationMode mode = AllocationMode::kExclusive) {
    const Pod pod = PodNamed(name, "80");
    return Bound(pod, AllocationOf(pod, {0}, mode), "85");
  }
  // Whether the Lease is deleted, in the version that was seen.
  bool IsDeleted(const GpuLease& lease) {
    const auto removed = rig_.TakeOnly<DeleteLease>();
    return removed && removed->name == lease.name && removed->uid == lease.uid &&
           removed->resource_version == lease.resource_version;
  }
  bool IsLeftAlone() { return rig_.TakeCommands().empty(); }

  Rig rig_;
};

TEST_F(LeaseRuleTest, TheLeaseOfABoundPodIsRight) {
  const Pod pod = BoundPod("a");
  rig_.Apply(LeaseSeen{LeaseOf(pod)});
  (void)rig_.TakeCommands();  // a question, as long as the pod is not in view
  rig_.Apply(PodSeen{pod});
  EXPECT_TRUE(IsLeftAlone());
}

TEST_F(LeaseRuleTest, TheLeaseOfAPodThatIsNotBoundIsDeleted) {
  rig_.Apply(PodSeen{PodNamed("a", "80")});
  rig_.Apply(LeaseSeen{LeaseOf(PodNamed("a", "80"))});
  EXPECT_TRUE(IsDeleted(LeaseOf(PodNamed("a", "80"))));
}

TEST_F(LeaseRuleTest, TheLeaseOfAPodThatHasEndedIsDeleted) {
  Pod pod = BoundPod("a");
  pod.phase = model::PodPhase::kSucceeded;
  rig_.Apply(PodSeen{pod});
  rig_.Apply(LeaseSeen{LeaseOf(pod)});
  EXPECT_TRUE(IsDeleted(LeaseOf(pod)));
}

TEST_F(LeaseRuleTest, APodThatIsBeingDeletedStillHolds) {
  Pod pod = BoundPod("a");
  pod.is_terminating = true;
  rig_.Apply(LeaseSeen{LeaseOf(pod)});
  (void)rig_.TakeCommands();
  rig_.Apply(PodSeen{pod});
  EXPECT_TRUE(IsLeftAlone());
}

TEST_F(LeaseRuleTest, TheLeaseThatAnEarlierTryLeftBehindIsDeleted) {
  const auto allocation = AllocationOf(PodNamed("a", "80"), {1});
  const Pod pod = Bound(PodNamed("a", "80"), allocation, "85");
  rig_.Apply(LeaseSeen{LeaseOf(pod)});
  rig_.Apply(PodSeen{pod});
  (void)rig_.TakeCommands();
  rig_.Apply(LeaseSeen{Stored(LockOf(pod, allocation, GpuId(1), "a1"), "96")});
  EXPECT_TRUE(IsDeleted(LeaseOf(pod)));
}

TEST_F(LeaseRuleTest, WhereAnnotationsMayHaveBeenEditedBothGpusAreLeftAlone) {
  const Pod edited = Bound(PodNamed("a", "80"), AllocationOf(PodNamed("a", "80"), {1}), "85");
  rig_.Apply(LeaseSeen{LeaseOf(edited)});
  (void)rig_.TakeCommands();
  rig_.Apply(PodSeen{edited});
  EXPECT_TRUE(IsLeftAlone());
}

TEST_F(LeaseRuleTest, AGpuThatWasEditedAwayStaysLocked) {
  const Pod pod = PodNamed("a", "80");
  const auto both = AllocationOf(pod, {0, 1});
  rig_.Apply(LeaseSeen{Stored(LockOf(pod, both, GpuId(0), "a0"), "95")});
  rig_.Apply(LeaseSeen{Stored(LockOf(pod, both, GpuId(1), "a0"), "96")});
  (void)rig_.TakeCommands();
  rig_.Apply(PodSeen{Bound(pod, AllocationOf(pod, {1}), "85")});
  EXPECT_TRUE(IsLeftAlone());
}

TEST_F(LeaseRuleTest, AnnotationsThatNameAnotherNodeAreNotBelieved) {
  Pod edited = BoundPod("a");
  edited.node = NodeName("node-b");
  rig_.Apply(PodSeen{edited});
  EXPECT_TRUE(IsLeftAlone());  // no Lease is made for them
  rig_.Apply(LeaseSeen{LeaseOf(edited)});
  EXPECT_TRUE(IsLeftAlone());
}

TEST_F(LeaseRuleTest, WithoutTheContradictionTheLeaseIsMade) {
  const Pod edited = Bound(PodNamed("a", "80"), AllocationOf(PodNamed("a", "80"), {1}), "85");
  const GpuLease lease = LeaseOf(edited);
  rig_.Apply(LeaseSeen{lease});
  rig_.Apply(PodSeen{edited});
  (void)rig_.TakeCommands();
  rig_.Apply(LeaseGone{lease.name, lease.uid});
  const auto made = rig_.TakeOnly<CreateLease>();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->lease.name, model::LeaseNameOf(kNode, GpuId(1)));
}

TEST_F(LeaseRuleTest, TheFirstAllocationSeenIsKept) {
  rig_.Apply(LeaseSeen{LeaseOf(BoundPod("a"))});
  rig_.Apply(PodSeen{BoundPod("a")});
  (void)rig_.TakeCommands();
  Pod edited = BoundPod("a");
  edited = Bound(edited, AllocationOf(edited, {1}), "90");
  rig_.Apply(PodSeen{edited});
  EXPECT_TRUE(IsLeftAlone());
}

TEST_F(LeaseRuleTest, ABoundPodWithoutReadableAnnotationsKeepsItsLease) {
  Pod pod = PodNamed("a", "80");
  pod.node = kNode;
  rig_.Apply(PodSeen{pod});
  rig_.Apply(LeaseSeen{LeaseOf(pod)});
  EXPECT_TRUE(IsLeftAlone());
}

TEST_F(LeaseRuleTest, APodThatIsNotInViewIsAskedForAndOnlyThenGone) {
  const GpuLease lease = LeaseOf(PodNamed("a", "80"));
  rig_.Apply(LeaseSeen{lease});
  EXPECT_EQ(rig_.TakeOnly<LookUpPod>(), (LookUpPod{PodNamed("a", "80").ref}));
  rig_.Apply(PodLookedUp{PodNamed("a", "80").ref, WriteOutcome::kUnknown});
  EXPECT_TRUE(IsLeftAlone());
  EXPECT_TRUE(rig_.PassToWake());
  EXPECT_TRUE(rig_.TakeOnly<LookUpPod>());
  rig_.Apply(PodLookedUp{PodNamed("a", "80").ref, WriteOutcome::kDone});
  EXPECT_TRUE(IsLeftAlone());
  EXPECT_TRUE(rig_.PassToWake());
  EXPECT_TRUE(rig_.TakeOnly<LookUpPod>());
  rig_.Apply(PodLookedUp{PodNamed("a", "80").ref, WriteOutcome::kNotFound});
  EXPECT_TRUE(IsDeleted(lease));
}

TEST_F(LeaseRuleTest, ADeletedPodFreesItsLeaseAtOnce) {
  rig_.Apply(LeaseSeen{LeaseOf(BoundPod("a"))});
  rig_.Apply(PodSeen{BoundPod("a")});
  (void)rig_.TakeCommands();
  rig_.Apply(PodGone{BoundPod("a").ref});
  EXPECT_TRUE(IsDeleted(LeaseOf(BoundPod("a"))));
}

TEST_F(LeaseRuleTest, AReleasingPodKeepsItsLeaseUntilItIsReleased) {
  rig_.Apply(LeaseSeen{LeaseOf(BoundPod("a"))});
  rig_.Apply(PodSeen{BoundPod("a")});
  rig_.commit().SetReleasing({PodUid("uid-a")});
  (void)rig_.TakeCommands();
  rig_.Apply(PodGone{BoundPod("a").ref});
  EXPECT_TRUE(IsLeftAlone());
  rig_.commit().SetReleasing({});
  rig_.Pass(Duration(0));
  EXPECT_TRUE(IsDeleted(LeaseOf(BoundPod("a"))));
}

TEST_F(LeaseRuleTest, AMissingLeaseIsMadeAgain) {
  rig_.Apply(PodSeen{BoundPod("a")});
  const auto made = rig_.TakeOnly<CreateLease>();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->lease,
            LockOf(BoundPod("a"), AllocationOf(BoundPod("a"), {0}), GpuId(0), "me/lock/1"));
}

TEST_F(LeaseRuleTest, ALeaseDeletedByHandIsMadeAgain) {
  rig_.Apply(PodSeen{BoundPod("a")});
  rig_.Apply(LeaseSeen{LeaseOf(BoundPod("a"))});
  (void)rig_.TakeCommands();
  // The create that was sent before the Lease was in view is answered first.
  rig_.Apply(LeaseAnswered{kLock, AttemptId("me/lock/1"), WriteOutcome::kAlreadyExists});
  EXPECT_TRUE(IsLeftAlone());
  rig_.Apply(LeaseGone{kLock, LeaseOf(BoundPod("a")).uid});
  EXPECT_TRUE(rig_.TakeOnly<CreateLease>());
}

TEST_F(LeaseRuleTest, WhatWasJustLockedIsNotLockedAgainWhileTheViewIsLate) {
  const Pod pod = PodNamed("a", "80");
  rig_.Apply(PodSeen{pod});
  rig_.Start(PlanOf(pod, AllocationOf(pod, {0}), "a1"));
  rig_.Apply(model::InFlightListed{1});
  rig_.Apply(LeaseAnswered{kLock, AttemptId("a1"), WriteOutcome::kDone});
  rig_.Apply(model::BindAnswered{pod.ref.uid, AttemptId("a1"), WriteOutcome::kDone});
  (void)rig_.TakeCommands();
  rig_.Pass(std::chrono::seconds(1));
  EXPECT_TRUE(IsLeftAlone());
  rig_.Pass(std::chrono::seconds(5));
  EXPECT_TRUE(rig_.TakeOnly<CreateLease>());
}

TEST_F(LeaseRuleTest, WhatAnAbortedFlightLeftBehindIsDeleted) {
  const Pod pod = PodNamed("a", "80");
  rig_.Apply(PodSeen{pod});
  rig_.Start(PlanOf(pod, AllocationOf(pod, {0}), "a1"));
  rig_.Apply(model::InFlightListed{1});
  rig_.Apply(LeaseAnswered{kLock, AttemptId("a1"), WriteOutcome::kRefused});
  (void)rig_.TakeCommands();
  const GpuLease late = Stored(LockOf(pod, AllocationOf(pod, {0}), GpuId(0), "a1"), "130");
  rig_.Apply(LeaseSeen{late});
  EXPECT_TRUE(IsDeleted(late));
}

TEST_F(LeaseRuleTest, OneWriteAtATimeAndTheNextWaitsForTheView) {
  rig_.Apply(PodSeen{PodNamed("a", "80")});
  GpuLease lease = LeaseOf(PodNamed("a", "80"));
  rig_.Apply(LeaseSeen{lease});
  EXPECT_TRUE(IsDeleted(lease));
  rig_.Pass(std::chrono::minutes(1));
  EXPECT_TRUE(IsLeftAlone()) << "one is under way";
  rig_.Apply(LeaseAnswered{kLock, AttemptId("me/lock/1"), WriteOutcome::kUnknown});
  EXPECT_TRUE(IsLeftAlone()) << "it may be deleted";
  EXPECT_TRUE(rig_.PassToWake());
  EXPECT_TRUE(IsDeleted(lease));
  rig_.Apply(LeaseAnswered{kLock, AttemptId("me/lock/2"), WriteOutcome::kConflict});
  EXPECT_TRUE(IsLeftAlone());
  lease.resource_version = ResourceVersion("120");
  rig_.Apply(LeaseSeen{lease});
  EXPECT_TRUE(IsDeleted(lease));
}

TEST_F(LeaseRuleTest, ASharerThatIsGoneIsTakenOut) {
  const Pod stays = BoundPod("a", AllocationMode::kShared);
  const Pod leaves = BoundPod("b", AllocationMode::kShared);
  GpuLease lease = LeaseOf(stays, AllocationMode::kShared);
  lease.holders.push_back(LeaseOf(leaves).holders[0]);
  rig_.Apply(LeaseSeen{lease});
  rig_.Apply(PodSeen{stays});
  rig_.Apply(PodSeen{leaves});
  (void)rig_.TakeCommands();
  rig_.Apply(PodGone{leaves.ref});
  const auto update = rig_.TakeOnly<UpdateLease>();
  ASSERT_TRUE(update);
  GpuLease wanted = lease;
  wanted.holders.pop_back();
  EXPECT_EQ(update->lease, wanted);
}

TEST_F(LeaseRuleTest, ASharerThatIsMissingIsPutIn) {
  rig_.Apply(LeaseSeen{LeaseOf(BoundPod("a"), AllocationMode::kShared)});
  rig_.Apply(PodSeen{BoundPod("a", AllocationMode::kShared)});
  (void)rig_.TakeCommands();
  rig_.Apply(PodSeen{BoundPod("b", AllocationMode::kShared)});
  const auto update = rig_.TakeOnly<UpdateLease>();
  ASSERT_TRUE(update);
  EXPECT_EQ(update->lease.holders.size(), 2U);
  EXPECT_TRUE(rig_.TakeReports().empty());
}

TEST_F(LeaseRuleTest, TwoPodsOnOneGpuAreReportedOnceAndNothingIsDeleted) {
  rig_.Apply(LeaseSeen{LeaseOf(BoundPod("a"))});
  rig_.Apply(PodSeen{BoundPod("a")});
  (void)rig_.TakeCommands();
  rig_.Apply(PodSeen{BoundPod("b")});
  EXPECT_TRUE(IsLeftAlone());
  EXPECT_EQ(rig_.TakeOnlyReport<DoubleAllocation>(),
            (DoubleAllocation{kLock, {BoundPod("a").ref, BoundPod("b").ref}}));
  Pod again = BoundPod("b");
  again.resource_version = ResourceVersion("99");
  rig_.Apply(PodSeen{again});
  EXPECT_TRUE(rig_.TakeReports().empty());
}

TEST_F(LeaseRuleTest, AForeignLeaseIsTouchedOnlyWhenItsPodIsGoneOrHasEnded) {
  GpuLease lease = LeaseOf(PodNamed("a", "80"));
  lease.scheduler = SchedulerName("other-scheduler");
  rig_.Apply(PodSeen{PodNamed("a", "80")});
  rig_.Apply(LeaseSeen{lease});
  EXPECT_TRUE(IsLeftAlone());
  rig_.Apply(PodGone{PodNamed("a", "80").ref});
  EXPECT_TRUE(IsDeleted(lease));
}

TEST_F(LeaseRuleTest, ForeignPodsCannotClaimAGpuByAnnotations) {
  Pod forged = BoundPod("a");
  forged.scheduler = SchedulerName("default-scheduler");
  rig_.Apply(PodSeen{forged});
  EXPECT_TRUE(IsLeftAlone());
  const Pod pod = PodNamed("b", "80");
  rig_.Start(PlanOf(pod, AllocationOf(pod, {0}), "a1"));
  EXPECT_TRUE(rig_.TakeReports().empty());
}

TEST(LeaseRule, AFollowerLeavesLeasesAlone) {
  Rig rig;
  rig.Apply(PodSeen{PodNamed("a", "80")});
  rig.Apply(LeaseSeen{Stored(
      LockOf(PodNamed("a", "80"), AllocationOf(PodNamed("a", "80"), {0}), GpuId(0), "a0"), "95")});
  rig.Pass(std::chrono::hours(1));
  EXPECT_TRUE(rig.TakeCommands().empty());
}

}  // namespace
}  // namespace gs::commit
