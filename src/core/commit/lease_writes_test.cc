#include "core/commit/lease_writes.h"

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

const LeaseName kLease = model::LeaseNameOf(kNode, GpuId(0));

class LeaseWritesTest : public testing::Test {
 protected:
  LeaseWritesTest() { rig_.Lead(); }

  static GpuLease LeaseOf(const Pod& pod, AllocationMode mode = AllocationMode::kExclusive) {
    return Stored(LeaseFor(pod, AllocationOf(pod, {0}, mode), GpuId(0), "a0"), "95");
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

TEST_F(LeaseWritesTest, TheLeaseOfABoundPodIsRight) {
  const Pod pod = BoundPod("a");
  rig_.Apply(LeaseSeen{LeaseOf(pod)});
  (void)rig_.TakeCommands();  // a question, as long as the pod is not in view
  rig_.Apply(PodSeen{pod});
  EXPECT_TRUE(IsLeftAlone());
}

TEST_F(LeaseWritesTest, TheLeaseOfAPodThatIsNotBoundIsDeleted) {
  rig_.Apply(PodSeen{PodNamed("a", "80")});
  rig_.Apply(LeaseSeen{LeaseOf(PodNamed("a", "80"))});
  EXPECT_TRUE(IsDeleted(LeaseOf(PodNamed("a", "80"))));
}

TEST_F(LeaseWritesTest, TheLeaseOfAPodThatHasEndedIsDeleted) {
  Pod pod = BoundPod("a");
  pod.phase = model::PodPhase::kSucceeded;
  rig_.Apply(PodSeen{pod});
  rig_.Apply(LeaseSeen{LeaseOf(pod)});
  EXPECT_TRUE(IsDeleted(LeaseOf(pod)));
}

TEST_F(LeaseWritesTest, APodThatIsBeingDeletedStillHolds) {
  Pod pod = BoundPod("a");
  pod.is_terminating = true;
  rig_.Apply(LeaseSeen{LeaseOf(pod)});
  (void)rig_.TakeCommands();
  rig_.Apply(PodSeen{pod});
  EXPECT_TRUE(IsLeftAlone());
}

TEST_F(LeaseWritesTest, TheLeaseFollowsWhatThePodSays) {
  const auto allocation = AllocationOf(PodNamed("a", "80"), {1});
  const Pod pod = Bound(PodNamed("a", "80"), allocation, "85");
  rig_.Apply(LeaseSeen{LeaseOf(pod)});  // names GPU 0
  (void)rig_.TakeCommands();
  rig_.Apply(PodSeen{pod});
  const auto commands = rig_.TakeCommands();
  ASSERT_EQ(commands.size(), 2U);
  ASSERT_TRUE(std::holds_alternative<DeleteLease>(commands[0]));
  EXPECT_EQ(std::get<DeleteLease>(commands[0]).name, kLease);
  ASSERT_TRUE(std::holds_alternative<CreateLease>(commands[1]));
  EXPECT_EQ(std::get<CreateLease>(commands[1]).lease.name, model::LeaseNameOf(kNode, GpuId(1)));
}

TEST_F(LeaseWritesTest, AnnotationsThatNameAnotherNodeAreNotBelieved) {
  Pod edited = BoundPod("a");
  edited.node = NodeName("node-b");
  rig_.Apply(PodSeen{edited});
  EXPECT_TRUE(IsLeftAlone());  // no Lease is made for them
  rig_.Apply(LeaseSeen{LeaseOf(edited)});
  EXPECT_TRUE(IsLeftAlone());
}

TEST_F(LeaseWritesTest, TheFirstAllocationSeenIsKept) {
  rig_.Apply(LeaseSeen{LeaseOf(BoundPod("a"))});
  rig_.Apply(PodSeen{BoundPod("a")});
  (void)rig_.TakeCommands();
  Pod edited = BoundPod("a");
  edited = Bound(edited, AllocationOf(edited, {1}), "90");
  rig_.Apply(PodSeen{edited});
  EXPECT_TRUE(IsLeftAlone());
}

TEST_F(LeaseWritesTest, ABoundPodWithoutReadableAnnotationsKeepsItsLease) {
  Pod pod = PodNamed("a", "80");
  pod.node = kNode;
  rig_.Apply(PodSeen{pod});
  rig_.Apply(LeaseSeen{LeaseOf(pod)});
  EXPECT_TRUE(IsLeftAlone());
}

TEST_F(LeaseWritesTest, APodThatIsNotInViewIsAskedForAndOnlyThenGone) {
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

TEST_F(LeaseWritesTest, ADeletedPodFreesItsLeaseAtOnce) {
  rig_.Apply(LeaseSeen{LeaseOf(BoundPod("a"))});
  rig_.Apply(PodSeen{BoundPod("a")});
  (void)rig_.TakeCommands();
  rig_.Apply(PodGone{BoundPod("a").ref});
  EXPECT_TRUE(IsDeleted(LeaseOf(BoundPod("a"))));
}

TEST_F(LeaseWritesTest, AReleasingPodKeepsItsLeaseUntilItIsReleased) {
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

TEST_F(LeaseWritesTest, AMissingLeaseIsMadeAgain) {
  rig_.Apply(PodSeen{BoundPod("a")});
  const auto made = rig_.TakeOnly<CreateLease>();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->lease,
            LeaseFor(BoundPod("a"), AllocationOf(BoundPod("a"), {0}), GpuId(0), "me/lock/1"));
}

TEST_F(LeaseWritesTest, ALeaseDeletedByHandIsMadeAgain) {
  rig_.Apply(PodSeen{BoundPod("a")});
  rig_.Apply(LeaseSeen{LeaseOf(BoundPod("a"))});
  (void)rig_.TakeCommands();
  // The create that was sent before the Lease was in view is answered first.
  rig_.Apply(LeaseAnswered{kLease, AttemptId("me/lock/1"), WriteOutcome::kAlreadyExists});
  EXPECT_TRUE(IsLeftAlone());
  rig_.Apply(LeaseGone{kLease, LeaseOf(BoundPod("a")).uid});
  EXPECT_TRUE(rig_.TakeOnly<CreateLease>());
}

TEST_F(LeaseWritesTest, ALeaseIsMadeWhenTheBindingIsAnsweredAndNotBefore) {
  const Pod pod = PodNamed("a", "80");
  rig_.Apply(PodSeen{pod});
  rig_.Start(PlanOf(pod, AllocationOf(pod, {0}), "a1"));
  rig_.Apply(model::InFlightListed{1});
  EXPECT_TRUE(rig_.TakeAll<CreateLease>().empty());
  rig_.Apply(model::BindAnswered{pod.ref.uid, AttemptId("a1"), WriteOutcome::kDone});
  EXPECT_EQ(rig_.TakeAll<CreateLease>().size(), 1U);
}

TEST_F(LeaseWritesTest, WhatWasJustWrittenIsNotWrittenAgainWhileTheViewIsLate) {
  rig_.Apply(PodSeen{BoundPod("a")});
  EXPECT_TRUE(rig_.TakeOnly<CreateLease>());
  rig_.Apply(LeaseAnswered{kLease, AttemptId("me/lock/1"), WriteOutcome::kDone});
  rig_.Pass(std::chrono::seconds(1));
  EXPECT_TRUE(IsLeftAlone());
  rig_.Pass(std::chrono::seconds(5));
  EXPECT_TRUE(rig_.TakeOnly<CreateLease>());
}

TEST_F(LeaseWritesTest, ALeaseThatIsThereButNotInViewIsTriedAgainAndStopsNobody) {
  rig_.Apply(PodSeen{BoundPod("a")});
  (void)rig_.TakeCommands();
  rig_.Apply(LeaseAnswered{kLease, AttemptId("me/lock/1"), WriteOutcome::kAlreadyExists});
  EXPECT_TRUE(IsLeftAlone());
  rig_.Apply(PodGone{BoundPod("a").ref});
  const Pod pod = PodNamed("b", "80");
  rig_.Start(PlanOf(pod, AllocationOf(pod, {0}), "a1"));
  rig_.Apply(model::InFlightListed{1});
  EXPECT_EQ(rig_.TakeAll<model::BindPod>().size(), 1U);
}

TEST_F(LeaseWritesTest, OneWriteAtATimeAndTheNextWaitsForTheView) {
  rig_.Apply(PodSeen{PodNamed("a", "80")});
  GpuLease lease = LeaseOf(PodNamed("a", "80"));
  rig_.Apply(LeaseSeen{lease});
  EXPECT_TRUE(IsDeleted(lease));
  rig_.Pass(std::chrono::minutes(1));
  EXPECT_TRUE(IsLeftAlone()) << "one is under way";
  rig_.Apply(LeaseAnswered{kLease, AttemptId("me/lock/1"), WriteOutcome::kUnknown});
  EXPECT_TRUE(IsLeftAlone()) << "it may be deleted";
  EXPECT_TRUE(rig_.PassToWake());
  EXPECT_TRUE(IsDeleted(lease));
  rig_.Apply(LeaseAnswered{kLease, AttemptId("me/lock/2"), WriteOutcome::kConflict});
  EXPECT_TRUE(IsLeftAlone());
  lease.resource_version = ResourceVersion("120");
  rig_.Apply(LeaseSeen{lease});
  EXPECT_TRUE(IsDeleted(lease));
}

TEST_F(LeaseWritesTest, ASharerThatIsGoneIsTakenOut) {
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

TEST_F(LeaseWritesTest, ASharerThatIsMissingIsPutIn) {
  rig_.Apply(LeaseSeen{LeaseOf(BoundPod("a"), AllocationMode::kShared)});
  rig_.Apply(PodSeen{BoundPod("a", AllocationMode::kShared)});
  (void)rig_.TakeCommands();
  rig_.Apply(PodSeen{BoundPod("b", AllocationMode::kShared)});
  const auto update = rig_.TakeOnly<UpdateLease>();
  ASSERT_TRUE(update);
  EXPECT_EQ(update->lease.holders.size(), 2U);
  EXPECT_TRUE(rig_.TakeReports().empty());
}

TEST_F(LeaseWritesTest, TwoPodsOnOneGpuAreReportedOnceAndNothingIsDeleted) {
  rig_.Apply(LeaseSeen{LeaseOf(BoundPod("a"))});
  rig_.Apply(PodSeen{BoundPod("a")});
  (void)rig_.TakeCommands();
  rig_.Apply(PodSeen{BoundPod("b")});
  EXPECT_TRUE(IsLeftAlone());
  EXPECT_EQ(rig_.TakeOnlyReport<DoubleAllocation>(),
            (DoubleAllocation{kLease, {BoundPod("a").ref, BoundPod("b").ref}}));
  Pod again = BoundPod("b");
  again.resource_version = ResourceVersion("99");
  rig_.Apply(PodSeen{again});
  EXPECT_TRUE(rig_.TakeReports().empty());
}

TEST_F(LeaseWritesTest, AForeignLeaseIsTouchedOnlyWhenItsPodIsGoneOrHasEnded) {
  GpuLease lease = LeaseOf(PodNamed("a", "80"));
  lease.scheduler = SchedulerName("other-scheduler");
  rig_.Apply(PodSeen{PodNamed("a", "80")});
  rig_.Apply(LeaseSeen{lease});
  EXPECT_TRUE(IsLeftAlone());
  rig_.Apply(PodGone{PodNamed("a", "80").ref});
  EXPECT_TRUE(IsDeleted(lease));
}

TEST_F(LeaseWritesTest, TheLeasesOfOtherSchedulersPodsAreTheirs) {
  Pod pod = BoundPod("a");
  pod.scheduler = SchedulerName("other-scheduler");
  rig_.Apply(PodSeen{pod});
  EXPECT_TRUE(IsLeftAlone());
}

TEST_F(LeaseWritesTest, APodOfAnotherSchedulerOnTheSameGpuIsADoubleAllocation) {
  Pod pod = BoundPod("a");
  pod.scheduler = SchedulerName("other-scheduler");
  rig_.Apply(PodSeen{pod});
  rig_.Apply(PodSeen{BoundPod("b")});
  EXPECT_EQ(rig_.TakeOnlyReport<DoubleAllocation>(),
            (DoubleAllocation{kLease, {pod.ref, BoundPod("b").ref}}));
}

TEST_F(LeaseWritesTest, APodOfAnotherSchedulerThatOurLeaseNamesIsRightWhileItHolds) {
  Pod pod = BoundPod("a");
  pod.scheduler = SchedulerName("other-scheduler");
  rig_.Apply(PodSeen{pod});
  rig_.Apply(LeaseSeen{LeaseOf(pod)});
  EXPECT_TRUE(IsLeftAlone());
}

TEST_F(LeaseWritesTest, ALeaseOfOursIsHandedOnToThePodThatHasTheGpuNow) {
  rig_.Apply(PodSeen{BoundPod("a")});
  rig_.Apply(LeaseSeen{LeaseOf(BoundPod("a"))});
  (void)rig_.TakeCommands();
  rig_.Apply(LeaseAnswered{kLease, AttemptId("me/lock/1"), WriteOutcome::kAlreadyExists});
  rig_.commit().Apply(PodGone{BoundPod("a").ref}, TimePoint());
  rig_.Apply(PodSeen{BoundPod("b", AllocationMode::kShared)});
  const auto update = rig_.TakeOnly<UpdateLease>();
  ASSERT_TRUE(update);
  EXPECT_EQ(update->lease.mode, AllocationMode::kShared);
  ASSERT_EQ(update->lease.holders.size(), 1U);
  EXPECT_EQ(update->lease.holders[0].pod, BoundPod("b").ref);
}

// Leases of pods that are not bound, as a start after a long time finds them.
class ManyLeasesTest : public testing::Test {
 protected:
  static constexpr int kLeases = 500;
  static constexpr std::size_t kMostUnderWay = 16;

  // They come into view before the view is known to be complete.
  void SeeStaleLeases() {
    for (int i = 0; i < kLeases; ++i) {
      const Pod pod = PodNamed("p" + std::to_string(i), "80");
      rig_.Apply(PodSeen{pod});
      rig_.Apply(LeaseSeen{Stored(LeaseFor(pod, AllocationOf(pod, {i}), GpuId(i), "a0"), "95")});
    }
  }
  void Answer(const DeleteLease& removed) {
    rig_.Apply(LeaseAnswered{removed.name, removed.attempt, WriteOutcome::kDone});
    rig_.Apply(LeaseGone{removed.name, removed.uid});
  }

  Rig rig_;
};

TEST_F(ManyLeasesTest, FewAreWrittenAtATimeAndAllInTheEnd) {
  SeeStaleLeases();
  rig_.Apply(model::LeadershipWon{.settled = ResourceVersion("90")});
  rig_.ReachPods("100");
  rig_.Apply(model::ViewReached{model::Kind::kLease, ResourceVersion("100")});
  std::vector<DeleteLease> under_way = rig_.TakeAll<DeleteLease>();
  EXPECT_EQ(under_way.size(), kMostUnderWay);
  rig_.Pass(std::chrono::hours(1));
  EXPECT_TRUE(rig_.TakeCommands().empty()) << "no more before an answer";
  int deleted = 0;
  while (!under_way.empty()) {
    Answer(under_way.back());
    under_way.pop_back();
    ++deleted;
    for (const DeleteLease& next : rig_.TakeAll<DeleteLease>()) under_way.push_back(next);
    ASSERT_LE(under_way.size(), kMostUnderWay);
  }
  EXPECT_EQ(deleted, kLeases);
}

TEST_F(ManyLeasesTest, QuestionsCountToo) {
  for (int i = 0; i < kLeases; ++i) {
    const Pod pod = PodNamed("p" + std::to_string(i), "80");
    rig_.Apply(LeaseSeen{Stored(LeaseFor(pod, AllocationOf(pod, {i}), GpuId(i), "a0"), "95")});
  }
  rig_.Apply(model::LeadershipWon{.settled = ResourceVersion("90")});
  rig_.ReachPods("100");
  rig_.Apply(model::ViewReached{model::Kind::kLease, ResourceVersion("100")});
  const auto asked = rig_.TakeAll<LookUpPod>();
  EXPECT_EQ(asked.size(), kMostUnderWay);
  rig_.Apply(PodLookedUp{asked[0].pod, WriteOutcome::kNotFound});
  EXPECT_EQ(rig_.TakeCommands().size(), 1U) << "its Lease is deleted, or the next one is asked for";
}

TEST_F(ManyLeasesTest, TheyAreBehindListsAndBindings) {
  SeeStaleLeases();
  rig_.Apply(model::LeadershipWon{.settled = ResourceVersion("90")});
  rig_.ReachPods("100");
  const Pod pod = PodNamed("new", "90");
  rig_.commit().Start(PlanOf(pod, AllocationOf(pod, {kLeases}), "a1"), TimePoint());
  rig_.Apply(model::ViewReached{model::Kind::kLease, ResourceVersion("100")});
  const auto commands = rig_.TakeCommands();
  ASSERT_EQ(commands.size(), 1 + kMostUnderWay);
  EXPECT_TRUE(std::holds_alternative<model::ListInFlight>(commands[0]));
  rig_.Apply(model::InFlightListed{1});
  EXPECT_TRUE(rig_.TakeOnly<model::BindPod>());
}

TEST(LeaseWrites, AFollowerLeavesLeasesAlone) {
  Rig rig;
  rig.Apply(PodSeen{PodNamed("a", "80")});
  rig.Apply(LeaseSeen{
      Stored(LeaseFor(PodNamed("a", "80"), AllocationOf(PodNamed("a", "80"), {0}), GpuId(0), "a0"),
             "95")});
  rig.Pass(std::chrono::hours(1));
  EXPECT_TRUE(rig.TakeCommands().empty());
}

}  // namespace
}  // namespace gs::commit
