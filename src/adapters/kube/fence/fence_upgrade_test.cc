// Coming into the fence for the first time: the election Lease of the version before, and a fence
// that is not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/kube/fence/fence_steps.h"
#include "adapters/kube/fence/process_for_test.h"

namespace gs::kube {
namespace {

using model::FenceStanding;
using model::LeadershipWon;
using model::WriteOutcome;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Pods = std::vector<model::PodRef>;

const model::PodRef kPod{Namespace("team"), PodName("a"), PodUid("u-a")};

EarlierElection Earlier(const std::string& holder) {
  EarlierElection lease;
  lease.metadata = {.ns = Namespace("gpu"),
                    .name = LeaseName("scheduler-leader"),
                    .uid = LeaseUid("e-1"),
                    .resource_version = ResourceVersion("3"),
                    .annotations = {{"gpu.scheduling/in-flight-format", "1"},
                                    {"gpu.scheduling/in-flight",
                                     R"([{"namespace":"team","name":"a","uid":"u-a"}])"}}};
  lease.holder = holder;
  lease.duration = seconds(15);
  lease.transitions = 2;
  return lease;
}

// Takes the Lease, which is free by now, and the lead.
FenceLease TakeBoth(Process& process, const FenceLease& fence) {
  const EarlierElection tombstone = process.NextEarlier<PutEarlier>().lease;
  EXPECT_TRUE(IsTombstone(tombstone));
  EXPECT_EQ(tombstone.metadata.uid, LeaseUid("e-1"));
  EXPECT_EQ(tombstone.metadata.resource_version, ResourceVersion("3"));
  process.Answer(DoneEarlier(tombstone));
  return process.Win(fence);
}

TEST(FenceUpgrade, AFreeLeaseIsTakenForEverAndItsPodsAreUnresolved) {
  Process process;
  process.Read(Done(FenceWith({HeldRecord(kThem)})));
  (void)process.NextEarlier<ReadEarlier>();
  process.Answer(DoneEarlier(Earlier("")));
  FenceLease stored = TakeBoth(process, FenceWith({HeldRecord(kThem)}));
  const auto won = process.Told<LeadershipWon>();
  ASSERT_EQ(won.size(), 1U);
  EXPECT_EQ(won[0].unresolved, Pods{kPod});
  EXPECT_TRUE(won[0].is_list_known);
  EXPECT_EQ(won[0].transitions, 1);
  EXPECT_EQ(process.Now().since_boot, Process::kStart);
  // Should we die before they are touched, the next leader finds them.
  EXPECT_EQ(Ours(stored).unresolved, Pods{kPod});
  process.steps().SetInFlight({.revision = 1, .is_settling = true});
  EXPECT_THAT(Ours(process.PutDone()).unresolved, IsEmpty());
  Process next;
  Ours(stored).holder = {};
  next.Win(stored);
  EXPECT_EQ(next.Told<LeadershipWon>().at(0).unresolved, Pods{kPod});
}

TEST(FenceUpgrade, AHeldLeaseIsTakenWhenItsHolderWasSilentForTheWholeLease) {
  Process process;
  EarlierElection lease = Earlier("pod-of-the-version-before");
  lease.duration = seconds(20);
  process.Read(Done(FenceWith({HeldRecord(kThem)})));
  (void)process.NextEarlier<ReadEarlier>();
  process.Answer(DoneEarlier(lease));
  process.Pass(seconds(19));
  lease.metadata.labels["edited"] = "yes";
  (void)process.NextEarlier<ReadEarlier>();
  process.Answer(DoneEarlier(lease));
  EXPECT_TRUE(process.HasNoRequest());
  // A rollout goes on only if we are fit to follow.
  EXPECT_EQ(process.WhyNot(), "");
  process.Pass(seconds(1));
  (void)process.NextEarlier<ReadEarlier>();
  process.Answer(DoneEarlier(lease));
  TakeBoth(process, FenceWith({HeldRecord(kThem)}));
  EXPECT_EQ(process.Told<LeadershipWon>().at(0).unresolved, Pods{kPod});
}

TEST(FenceUpgrade, ARenewalStartsTheWaitAgain) {
  Process process;
  EarlierElection lease = Earlier("pod-of-the-version-before");
  process.Read(Only(WriteOutcome::kNotFound));
  for (int i = 0; i < 20; ++i) {
    lease.metadata.annotations["gpu.scheduling/write"] = std::to_string(i);
    (void)process.NextEarlier<ReadEarlier>();
    process.Answer(DoneEarlier(lease));
    process.Pass(seconds(2));
  }
  (void)process.NextEarlier<ReadEarlier>();
}

TEST(FenceUpgrade, AnAbsentLeaseIsMadeAndAllPodsAreUnknown) {
  FenceSelf self = TestSelf();
  self.owner = ClusterRoleOwner("gpu", "o-1");
  Process process({}, self);
  process.Read(Done(FenceWith({HeldRecord(kThem)})));
  (void)process.NextEarlier<ReadEarlier>();
  process.Answer(Only(WriteOutcome::kNotFound));
  const EarlierElection made = process.NextEarlier<CreateEarlier>().lease;
  EXPECT_TRUE(IsTombstone(made));
  EXPECT_EQ(made.metadata.ns, Namespace("gpu"));
  EXPECT_EQ(made.metadata.name, LeaseName("scheduler-leader"));
  EXPECT_EQ(made.metadata.owners.at(0).uid, "o-1");  // it goes with the release
  process.Answer(DoneEarlier(made));
  const FenceLease stored = process.Win(FenceWith({HeldRecord(kThem)}));
  EXPECT_FALSE(process.Told<LeadershipWon>().at(0).is_list_known);
  // The other release has nothing to do with it.
  EXPECT_FALSE(stored.unsettled.has_value());
  EXPECT_TRUE(Ours(stored).is_list_lost);
  process.steps().SetInFlight({.revision = 1, .is_settling = true});
  EXPECT_FALSE(Ours(process.PutDone()).is_list_lost);
}

TEST(FenceUpgrade, AnUnreadableListMeansAnyPod) {
  Process process;
  process.Read(Done(FenceWith({HeldRecord(kThem)})));
  (void)process.NextEarlier<ReadEarlier>();
  EarlierElection lease = Earlier("");
  lease.metadata.annotations["gpu.scheduling/in-flight-format"] = "2";
  process.Answer(DoneEarlier(lease));
  TakeBoth(process, FenceWith({HeldRecord(kThem)}));
  EXPECT_FALSE(process.Told<LeadershipWon>().at(0).is_list_known);
}

TEST(FenceUpgrade, ATombstoneIsTakenAsItIs) {
  Process process;
  process.Read(Done(FenceWith({HeldRecord(kThem)})));
  (void)process.NextEarlier<ReadEarlier>();
  process.Answer(DoneEarlier(TombstoneOf(Earlier(""), TimePoint())));
  process.Win(FenceWith({HeldRecord(kThem)}));
  EXPECT_EQ(process.Told<LeadershipWon>().at(0).unresolved, Pods{kPod});
}

TEST(FenceUpgrade, WhateverAWriteAnswersTheLeaseIsReadAgain) {
  for (const WriteOutcome outcome :
       {WriteOutcome::kConflict, WriteOutcome::kUnknown, WriteOutcome::kAlreadyExists}) {
    Process process;
    process.Read(Done(FenceWith({HeldRecord(kThem)})));
    (void)process.NextEarlier<ReadEarlier>();
    process.Answer(DoneEarlier(Earlier("")));
    (void)process.NextEarlier<PutEarlier>();
    process.Answer(Only(outcome));
    process.Pass(seconds(1));
    (void)process.NextEarlier<ReadEarlier>();
  }
}

TEST(FenceUpgrade, ALeaseThatVanishedIsMade) {
  Process process;
  process.Read(Done(FenceWith({HeldRecord(kThem)})));
  (void)process.NextEarlier<ReadEarlier>();
  process.Answer(DoneEarlier(Earlier("")));
  (void)process.NextEarlier<PutEarlier>();
  process.Answer(Only(WriteOutcome::kNotFound));
  (void)process.NextEarlier<CreateEarlier>();
}

TEST(FenceUpgrade, IsNobodysBusinessWhoHasARecord) {
  Process process;
  process.Win();
  EXPECT_EQ(process.Told<LeadershipWon>().size(), 1U);
}

TEST(FenceUpgrade, AnotherReplicaMayHaveComeFirst) {
  Process process;
  process.Read(Done(FenceWith({HeldRecord(kThem)})));
  (void)process.NextEarlier<ReadEarlier>();
  process.Answer(DoneEarlier(TombstoneOf(Earlier(""), TimePoint())));
  process.Read(Done(HeldByOther()));
  EXPECT_TRUE(process.HasNoRequest());
}

TEST(FenceUpgrade, ARefusalIsTold) {
  Process process;
  process.Read(Done(FenceWith({HeldRecord(kThem)})));
  (void)process.NextEarlier<ReadEarlier>();
  process.Answer(Only(WriteOutcome::kRefused));
  EXPECT_THAT(process.WhyNot(), HasSubstr("the election Lease of the version before "
                                          "(gpu/scheduler-leader) cannot be read: because"));
}

// Nobody knows what was in flight when it was deleted, so its maker touches all pods; and waits for
// nobody.
TEST(FenceMadeAnew, LeadsAtOnceAndTheMarkStands) {
  Process process;
  process.Read(Only(WriteOutcome::kNotFound));
  (void)process.NextEarlier<ReadEarlier>();
  process.Answer(Only(WriteOutcome::kNotFound));
  process.Answer(DoneEarlier(process.NextEarlier<CreateEarlier>().lease));
  process.Read(Only(WriteOutcome::kNotFound));
  FenceLease made = process.Stored(process.Next<CreateFence>().fence);
  EXPECT_EQ(made.metadata.ns, Namespace("kube-system"));
  EXPECT_EQ(made.metadata.name, LeaseName("scheduler-fence"));
  EXPECT_TRUE(made.unsettled.has_value());
  EXPECT_EQ(Ours(made).holder, TestSelf().identity);
  made.metadata.uid = LeaseUid("l-2");
  process.Answer(Done(made));
  EXPECT_FALSE(process.Told<LeadershipWon>().at(0).is_list_known);
  EXPECT_TRUE(process.leads());
  EXPECT_EQ(process.Now().since_boot, Process::kStart);
}

TEST(FenceMadeAnew, OneThatAnotherWasQuickerToMakeIsRead) {
  Process process;
  process.Read(Only(WriteOutcome::kNotFound));
  (void)process.NextEarlier<ReadEarlier>();
  process.Answer(DoneEarlier(TombstoneOf(Earlier(""), TimePoint())));
  process.Read(Only(WriteOutcome::kNotFound));
  (void)process.Next<CreateFence>();
  process.Answer(Only(WriteOutcome::kAlreadyExists));
  FenceLease fence = FenceWith({HeldRecord(kThem)});
  fence.unsettled = "m";
  process.Win(fence);
  EXPECT_FALSE(process.Told<LeadershipWon>().at(0).is_list_known);
}

TEST(FenceMadeAnew, AnUnknownCreateIsLookedUp) {
  Process process;
  process.Read(Only(WriteOutcome::kNotFound));
  (void)process.NextEarlier<ReadEarlier>();
  process.Answer(DoneEarlier(TombstoneOf(Earlier(""), TimePoint())));
  process.Read(Only(WriteOutcome::kNotFound));
  FenceLease made = process.Stored(process.Next<CreateFence>().fence);
  made.metadata.uid = LeaseUid("l-2");
  process.Answer(Only(WriteOutcome::kUnknown));
  process.Pass(seconds(1));
  process.Read(Done(made));
  EXPECT_EQ(process.Told<LeadershipWon>().size(), 1U);
}

TEST(FenceMadeAnew, AMissingNamespaceIsTold) {
  Process process;
  process.Read(Only(WriteOutcome::kNotFound));
  (void)process.NextEarlier<ReadEarlier>();
  process.Answer(DoneEarlier(TombstoneOf(Earlier(""), TimePoint())));
  process.Read(Only(WriteOutcome::kNotFound));
  (void)process.Next<CreateFence>();
  process.Answer(Only(WriteOutcome::kNotFound));
  EXPECT_THAT(process.WhyNot(),
              HasSubstr("cannot be made: because; make that namespace, or set fence.namespace"));
  const auto told = process.Told<FenceStanding>().size();
  // The read that finds no fence is no news.
  process.Pass(seconds(2));
  process.Read(Only(WriteOutcome::kNotFound));
  EXPECT_EQ(process.Told<FenceStanding>().size(), told);
}

}  // namespace
}  // namespace gs::kube
