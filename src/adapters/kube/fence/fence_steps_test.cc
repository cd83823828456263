// Who leads: candidates, renewals, losing and resigning. What is listed: fence_list_test.cc; the
// version before: fence_upgrade_test.cc.
#include "adapters/kube/fence/fence_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/kube/fence/process_for_test.h"

namespace gs::kube {
namespace {

using model::FenceStanding;
using model::InFlightListed;
using model::LeadershipLost;
using model::LeadershipWon;
using model::WriteOutcome;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Entries = std::vector<model::InFlightPod>;

const model::InFlightPod kEntry = Entry("a", 0);

TEST(FenceOptions, MustLeaveTimeToTryAgain) {
  EXPECT_TRUE(CheckFenceOptions({}).ok());
  const auto why = [](int lease, int deadline, int retry) {
    const auto fine = CheckFenceOptions({.lease = milliseconds(lease),
                                         .renew_deadline = milliseconds(deadline),
                                         .retry = milliseconds(retry)});
    return fine ? "" : ToString(fine.error());
  };
  EXPECT_THAT(why(10, 10, 2), HasSubstr("lease (10ms) must be longer than the renew deadline"));
  EXPECT_THAT(why(15, 12, 10), HasSubstr("1.2 times the retry period (10ms)"));
  EXPECT_THAT(why(15, 10, 0), HasSubstr("longer than 0"));
}

TEST(FenceSteps, TakesAFreeRecordAtOnce) {
  Process process;
  FenceLease fence = FenceWith({FreeRecord()});
  Ours(fence).settled = ResourceVersion("40");
  const FenceLease stored = process.Win(fence);
  EXPECT_EQ(Ours(stored).holder, TestSelf().identity);
  EXPECT_EQ(Ours(stored).ns, Namespace("gpu"));
  EXPECT_EQ(stored.metadata.uid, LeaseUid("l-1"));
  EXPECT_EQ(Ours(stored).transitions, 5);
  EXPECT_EQ(Ours(stored).duration, seconds(15));
  EXPECT_EQ(process.Told<LeadershipWon>(),
            (std::vector<LeadershipWon>{{.transitions = 5, .settled = ResourceVersion("40")}}));
  EXPECT_TRUE(process.leads());
}

TEST(FenceSteps, WaitsUntilAHolderWasSilentForTheWholeLease) {
  Process process;
  const Duration start = process.Now().since_boot;
  FenceStep step = process.Advance();
  int reads = 0;
  while (step.request && std::holds_alternative<ReadFence>(*step.request)) {
    ++reads;
    process.Answer(Done(HeldByOther()));
    step = process.Advance();
    if (step.request) break;
    process.ToWakeUp(step);
    step = process.Advance();
  }
  EXPECT_EQ(process.Now().since_boot - start, seconds(15));
  EXPECT_EQ(reads, 9);
  const FenceLease& put = std::get<PutFence>(*step.request).fence;
  EXPECT_EQ(put.metadata.resource_version, ResourceVersion("1"));
  EXPECT_EQ(Ours(put).transitions, 5);
  EXPECT_EQ(Ours(put).in_flight, Entries{kEntry});  // kept for whoever comes if we crash now
  process.Answer(Done(process.Stored(put)));
  const auto won = process.Told<LeadershipWon>();
  ASSERT_EQ(won.size(), 1U);
  EXPECT_EQ(won[0].inherited, Entries{kEntry});
  EXPECT_TRUE(won[0].is_list_known);
}

TEST(FenceSteps, EveryRenewalStartsTheWaitAgainAndOtherChangesDoNot) {
  Process process;
  FenceLease fence = HeldByOther();
  process.Read(Done(fence));
  process.Pass(seconds(14));
  Ours(fence).write = 2;
  process.Read(Done(process.Stored(fence)));
  process.Pass(seconds(14));
  fence.metadata.labels["edited"] = "yes";
  Theirs(fence) = HeldRecord(kThem);
  fence = process.Stored(fence);
  process.Read(Done(fence));
  EXPECT_TRUE(process.HasNoRequest());
  process.Pass(seconds(1));
  process.Read(Done(fence));
  EXPECT_EQ(process.Put().metadata.resource_version, fence.metadata.resource_version);
}

TEST(FenceSteps, ALongerLeaseOfTheHolderCounts) {
  Process process;
  FenceLease fence = HeldByOther();
  Ours(fence).duration = seconds(60);
  process.Read(Done(fence));
  process.Pass(seconds(59));
  process.Read(Done(fence));
  EXPECT_TRUE(process.HasNoRequest());
  process.Pass(seconds(1));
  process.Read(Done(fence));
  (void)process.Put();
}

TEST(FenceSteps, AnEarlierProcessOfTheSamePodIsSomebodyElse) {
  Process process;
  FenceLease fence = HeldByOther();
  Ours(fence).holder = {PodUid("pod-1"), "p-0"};
  process.Read(Done(fence));
  EXPECT_TRUE(process.HasNoRequest());
}

// Another fence says nothing about how long this one's records have been as they are.
TEST(FenceSteps, AFenceMadeAnewStartsTheWaitAgain) {
  Process process;
  FenceLease fence = HeldByOther();
  process.Read(Done(fence));
  process.Pass(seconds(14));
  fence.metadata.uid = LeaseUid("l-2");
  process.Read(Done(fence));
  process.Pass(seconds(1));
  EXPECT_TRUE(process.HasNoRequest());
}

TEST(FenceSteps, RenewsEveryRetryPeriodAndSaysNothing) {
  Process process;
  process.Win();
  for (int i = 0; i < 10; ++i) {
    process.ToWakeUp(process.Advance());
    process.PutDone();
  }
  EXPECT_EQ(process.Now().since_boot - Process::kStart, seconds(20));
  EXPECT_TRUE(process.leads());
  EXPECT_TRUE(process.Told<InFlightListed>().empty());
}

TEST(FenceSteps, LeadsFromTheMomentOfSendingAndNotOfTheAnswer) {
  Process process;
  process.Read(Done(FenceWith({FreeRecord()})));
  const FenceLease fence = process.Stored(process.Put());
  process.Pass(seconds(4));
  process.Answer(Done(fence));
  EXPECT_EQ(process.steps().leads_until(), Process::kStart + seconds(10));
}

TEST(FenceSteps, ATakeoverThatIsAnsweredTooLateDoesNotLead) {
  Process process;
  process.Read(Done(FenceWith({FreeRecord()})));
  const FenceLease fence = process.Stored(process.Put());
  process.Pass(seconds(10));
  process.Answer(Done(fence));
  EXPECT_TRUE(process.Told<LeadershipWon>().empty());
  EXPECT_FALSE(process.leads());
}

TEST(FenceSteps, AnUnknownTakeoverIsLookedUp) {
  Process process;
  process.Read(Done(FenceWith({FreeRecord()})));
  const FenceLease fence = process.Stored(process.Put());
  process.Answer(Only(WriteOutcome::kUnknown));
  EXPECT_TRUE(process.Told<LeadershipWon>().empty());
  process.Pass(seconds(2));
  process.Read(Done(fence));
  EXPECT_EQ(process.Told<LeadershipWon>().size(), 1U);
  EXPECT_EQ(process.steps().leads_until(), Process::kStart + seconds(10));
}

// Other releases write all the time.
TEST(FenceSteps, ATakeoverThatMeetsAConflictIsTriedAgainAtOnce) {
  Process process;
  FenceLease fence = FenceWith({FreeRecord()});
  process.Read(Done(fence));
  Theirs(fence) = HeldRecord(kThem);
  process.Meet(fence);
  process.PutDone();
  EXPECT_EQ(process.Told<LeadershipWon>().size(), 1U);
  EXPECT_EQ(process.Now().since_boot, Process::kStart);
}

TEST(FenceSteps, AConflictWithNobodyIsNotTriedInARush) {
  Process process;
  const FenceLease fence = process.Win();
  process.Pass(seconds(2));
  (void)process.Put();
  process.Answer(Only(WriteOutcome::kConflict));
  process.Read(Done(fence));
  const FenceStep step = process.Advance();
  EXPECT_FALSE(step.request.has_value());
  EXPECT_EQ(step.wake_at - process.Now().since_boot, milliseconds(125));
}

TEST(FenceSteps, AnEditBySomebodyElseIsNoLoss) {
  Process process;
  FenceLease fence = process.Win();
  process.Pass(seconds(2));
  fence.metadata.annotations["note"] = "hello";
  process.Meet(fence);
  EXPECT_EQ(process.PutDone().metadata.annotations.at("note"), "hello");
  EXPECT_TRUE(process.leads());
}

TEST(FenceSteps, LosesToAnotherHolderOnce) {
  Process process;
  process.Win();
  process.Pass(seconds(2));
  process.Meet(HeldByOther());
  EXPECT_EQ(process.LostBecause(), "our record in the fence is held by scheduler-1");
  process.Pass(seconds(60));
  EXPECT_EQ(process.Told<LeadershipLost>().size(), 1U);
  EXPECT_TRUE(process.HasNoRequest());
  EXPECT_TRUE(process.steps().is_over());
}

TEST(FenceSteps, LosesWhenTheFenceIsDeletedOrMadeAnew) {
  for (const bool is_made : {false, true}) {
    Process process;
    FenceLease fence = process.Win();
    process.Pass(seconds(2));
    (void)process.Put();
    process.Answer(Only(WriteOutcome::kConflict));
    fence.metadata.uid = LeaseUid("l-2");
    process.Read(is_made ? Done(fence) : Only(WriteOutcome::kNotFound));
    EXPECT_THAT(process.LostBecause(), HasSubstr("the fence was deleted"));
    EXPECT_FALSE(process.leads());
  }
}

TEST(FenceSteps, LosesWhenItsRecordIsRemovedOrDamaged) {
  for (const bool is_damaged : {false, true}) {
    Process process;
    FenceLease fence = process.Win();
    process.Pass(seconds(2));
    fence.records.clear();
    if (is_damaged) fence.unreadable[RecordKey(kUs)] = "?";
    process.Meet(fence);
    EXPECT_EQ(process.LostBecause(), is_damaged
                                         ? "our record in the fence was changed and cannot be read"
                                         : "our record in the fence was removed");
  }
}

TEST(FenceSteps, LosesWhenItCannotRenewAndSaysWhy) {
  Process process;
  process.Win();
  process.Pass(seconds(2));
  for (int i = 0; i < 20 && process.leads(); ++i) {
    const FenceStep step = process.Advance();
    if (step.request) {
      EXPECT_LE(process.Now().since_boot + step.timeout, Process::kStart + seconds(10));
      process.Answer(Only(WriteOutcome::kRefused));
    } else {
      process.ToWakeUp(step);
    }
  }
  EXPECT_EQ(process.LostBecause(), "the fence was not renewed within 10s: because");
  EXPECT_EQ(process.Now().since_boot, Process::kStart + seconds(10));
}

TEST(FenceSteps, AMachineThatSleptLosesBeforeItWrites) {
  Process process;
  process.Win();
  process.steps().SetInFlight({.revision = 1, .in_flight = {kEntry}});
  process.Pass(seconds(10));
  EXPECT_TRUE(process.HasNoRequest());
  EXPECT_THAT(process.LostBecause(), HasSubstr("not renewed within 10s"));
}

TEST(FenceSteps, AnAnswerAfterTheDeadlineDoesNotHelp) {
  Process process;
  process.Win();
  process.Pass(seconds(9));
  const FenceLease fence = process.Stored(process.Put());
  process.Pass(seconds(1));
  process.Answer(Done(fence));
  EXPECT_THAT(process.LostBecause(), HasSubstr("not renewed within 10s"));
}

TEST(FenceSteps, ResigningFreesTheRecordAndEndsTheLeadFirst) {
  Process process;
  process.Win();
  process.steps().SetInFlight({.revision = 1, .settled = ResourceVersion("50")});
  process.steps().Resign();
  const FenceLease fence = process.Put();
  EXPECT_EQ(process.LostBecause(), "resigned");
  EXPECT_FALSE(process.leads());
  EXPECT_FALSE(Ours(fence).is_held());
  EXPECT_EQ(Ours(fence).settled, ResourceVersion("50"));
  process.Answer(Only(WriteOutcome::kUnknown));
  EXPECT_TRUE(process.steps().is_over());
  EXPECT_TRUE(process.HasNoRequest());

  Process next;
  next.Read(Done(fence));
  EXPECT_EQ(Ours(next.Put()).settled, ResourceVersion("50"));  // without waiting
}

TEST(FenceSteps, ResigningIsTriedAgainWhenAnotherReleaseHasWritten) {
  Process process;
  FenceLease fence = process.Win();
  process.steps().Resign();
  (void)process.Put();
  process.Answer(Only(WriteOutcome::kConflict));
  EXPECT_FALSE(process.steps().is_over());
  Theirs(fence) = HeldRecord(kThem);
  process.Read(Done(process.Stored(fence)));
  const FenceLease freed = process.Put();
  EXPECT_FALSE(Ours(freed).is_held());
  EXPECT_TRUE(freed.records.at(RecordKey(kThem)).is_held());
  process.Answer(Done(process.Stored(freed)));
  EXPECT_TRUE(process.steps().is_over());
  EXPECT_EQ(process.Told<LeadershipLost>().size(), 1U);
}

TEST(FenceSteps, ResigningEndsWhenSomebodyElseHoldsTheRecord) {
  Process process;
  process.Win();
  process.steps().Resign();
  process.Meet(HeldByOther());
  EXPECT_TRUE(process.HasNoRequest());
  EXPECT_TRUE(process.steps().is_over());
}

TEST(FenceSteps, ResigningWithPodsInFlightLeavesThemListed) {
  Process process;
  process.Win();
  process.steps().SetInFlight({.revision = 1, .in_flight = {kEntry}});
  process.PutDone();
  process.steps().Resign();
  EXPECT_TRUE(process.HasNoRequest());
  EXPECT_THAT(process.LostBecause(), HasSubstr("left to the next leader"));
}

TEST(FenceSteps, ACandidateThatResignsIsJustGone) {
  Process process;
  process.Read(Done(HeldByOther()));
  process.steps().Resign();
  EXPECT_TRUE(process.HasNoRequest());
  EXPECT_TRUE(process.steps().is_over());
  EXPECT_TRUE(process.Told<LeadershipLost>().empty());
}

TEST(FenceSteps, TriesSoonAfterATroubleAndThenMoreRarely) {
  Process process;
  std::vector<Duration> waits;
  for (int i = 0; i < 6; ++i) {
    process.Read(Only(WriteOutcome::kNotExecuted));
    const FenceStep step = process.Advance();
    waits.push_back(step.wake_at - process.Now().since_boot);
    process.ToWakeUp(step);
  }
  EXPECT_EQ(waits, (std::vector<Duration>{milliseconds(125), milliseconds(250), milliseconds(500),
                                          seconds(1), seconds(2), seconds(2)}));
}

TEST(FenceSteps, OwnersAreKeptAndOursIsAdded) {
  FenceSelf self = TestSelf();
  const OwnerReference ours = ClusterRoleOwner("gpu", "o-2");
  self.owner = ours;
  const OwnerReference other{.api_version = "v1", .kind = "X", .name = "gpu", .uid = "o-9"};
  const OwnerReference before = ClusterRoleOwner("gpu", "o-1");
  Process process({}, self);
  FenceLease fence = FenceWith({FreeRecord()});
  fence.metadata.owners = {other, before};  // ours was deleted and made anew
  EXPECT_THAT(process.Win(fence).metadata.owners, testing::ElementsAre(other, ours));
  process.Pass(seconds(2));
  EXPECT_THAT(process.PutDone().metadata.owners, testing::ElementsAre(other, ours));
}

// Kubernetes does so with owners that are gone; ours may have been made again since we started.
TEST(FenceSteps, AnOwnerThatIsTakenOutIsNotWrittenAgainWithEveryRenewal) {
  FenceSelf self = TestSelf();
  self.owner = {.name = "gpu", .uid = "o-1"};
  const OwnerReference other{.api_version = "v1", .kind = "X", .name = "gpu", .uid = "o-9"};
  Process process({}, self);
  FenceLease fence = FenceWith({FreeRecord()});
  fence.metadata.owners = {other};
  fence = process.Win(fence);
  EXPECT_THAT(fence.metadata.owners, testing::SizeIs(2));
  process.Pass(seconds(2));
  fence.metadata.owners = {other};
  process.Meet(fence);
  EXPECT_THAT(process.PutDone().metadata.owners, testing::ElementsAre(other));
}

TEST(FenceStanding, AFollowerHasNothingInItsWay) {
  Process process;
  process.Read(Done(HeldByOther()));
  EXPECT_EQ(process.Told<FenceStanding>(), (std::vector<FenceStanding>{{}}));
}

TEST(FenceStanding, TheSameNameInAnotherNamespaceIsTold) {
  Process process;
  FenceLease fence = HeldByOther();
  Ours(fence).ns = Namespace("elsewhere");
  process.Read(Done(fence));
  EXPECT_EQ(process.WhyNot(),
            "the scheduler name \"gpu-scheduler\" is led by pod scheduler-1 of the release in "
            "namespace elsewhere; give one of the two releases another scheduler.name");
  // It waits like anybody else, and has its turn when the other has gone.
  process.Pass(seconds(2));
  Ours(fence).holder = {};
  process.Read(Done(process.Stored(fence)));
  EXPECT_EQ(Ours(process.PutDone()).ns, Namespace("gpu"));
  EXPECT_EQ(process.WhyNot(), "");
}

TEST(FenceStanding, ARefusalIsToldAtOnceUntilTheRequestSucceeds) {
  Process process;
  FenceAnswer forbidden = Only(WriteOutcome::kRefused);
  forbidden.reason = "403 Forbidden: no";
  process.Read(forbidden);
  EXPECT_THAT(process.WhyNot(),
              AllOf(HasSubstr("the fence (Lease kube-system/scheduler-fence) cannot be read: 403 "
                              "Forbidden: no"),
                    HasSubstr("must allow get, create, update and delete of leases")));
  process.Pass(seconds(2));
  process.Read(Done(FenceWith({FreeRecord()})));
  (void)process.Put();
  process.Answer(forbidden);
  EXPECT_THAT(process.WhyNot(), HasSubstr("cannot be written: 403"));
  // That it can be read is no news.
  process.Pass(seconds(2));
  process.Read(Done(FenceWith({FreeRecord()})));
  EXPECT_THAT(process.WhyNot(), HasSubstr("cannot be written: 403"));
  const auto told = process.Heard<FenceStanding>().size();
  process.Answer(Done(FenceWith({FreeRecord()})));
  EXPECT_EQ(process.Heard<FenceStanding>().size(), told);
}

TEST(FenceStanding, ShortTroublesAreNotTold) {
  Process process;
  for (int i = 0; i < 4; ++i) {
    process.Read(Only(WriteOutcome::kUnknown));
    EXPECT_EQ(process.WhyNot(), "nothing told");
    process.Pass(seconds(2));
  }
  process.Read(Only(WriteOutcome::kUnknown));
  process.Pass(seconds(2));
  EXPECT_THAT(process.WhyNot(), HasSubstr("cannot be read: because"));
  process.Answer(Done(HeldByOther()));
  EXPECT_EQ(process.WhyNot(), "");
}

TEST(FenceStanding, ARecordOfOthersThatCannotBeReadIsTold) {
  Process process;
  FenceLease fence = FenceWith({FreeRecord()});
  fence.unreadable[RecordKey(kThem)] = "?";
  fence = process.Win(fence);
  EXPECT_EQ(process.Told<LeadershipWon>().size(), 1U);
  EXPECT_THAT(process.WhyNot(), AllOf(HasSubstr("annotation " + RecordKey(kThem)),
                                      HasSubstr("start that release, or delete the Lease")));
  process.Pass(seconds(2));
  fence.unreadable.clear();
  Theirs(fence) = HeldRecord(kThem);
  process.Meet(fence);
  EXPECT_EQ(process.WhyNot(), "");
}

}  // namespace
}  // namespace gs::kube
