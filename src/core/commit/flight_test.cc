#include "core/commit/flight.h"

#include <gtest/gtest.h>

#include <chrono>

#include "core/commit/rig.h"

namespace gs::commit {
namespace {

using model::BindAnswered;
using model::BindPod;
using model::CreateLease;
using model::InFlightListed;
using model::LeaseAnswered;
using model::LeaseSeen;
using model::ListInFlight;
using model::TouchAnswered;
using model::TouchPod;
using model::UpdateLease;
using model::WriteOutcome;

const LeaseName kLock = model::LeaseNameOf(kNode, GpuId(0));
const AttemptId kAttempt("a1");

// A leader, a pod with one GPU planned for it, and where that has come to.
class FlightTest : public testing::Test {
 protected:
  void StartPlan() {
    rig_.Lead();
    rig_.Apply(model::PodSeen{pod_});
    rig_.Start(PlanOf(pod_, allocation_, "a1"));
  }
  void ToLocking() {
    StartPlan();
    (void)rig_.TakeCommands();
    rig_.Apply(InFlightListed{1});
  }
  void ToBinding() {
    ToLocking();
    (void)rig_.TakeCommands();
    rig_.Apply(LeaseAnswered{kLock, kAttempt, WriteOutcome::kDone});
  }
  void ToTouching() {
    ToBinding();
    (void)rig_.TakeCommands();
    AnswerBinding(WriteOutcome::kUnknown);
  }
  void AnswerBinding(WriteOutcome outcome) {
    rig_.Apply(BindAnswered{pod_.ref.uid, kAttempt, outcome});
  }
  void AnswerTouch(WriteOutcome outcome, const std::string& node) {
    rig_.Apply(
        TouchAnswered{pod_.ref.uid, kAttempt, outcome, NodeName(node), ResourceVersion("120")});
  }
  // Over, and not bound, for this reason; or what it is instead.
  std::string EndReason() {
    const auto finished = rig_.TakeOnlyReport<Finished>();
    if (!finished) return "not over";
    return finished->is_bound() ? "bound" : finished->not_bound->reason;
  }

  Rig rig_;
  model::Pod pod_ = PodNamed("train", "90");
  model::Allocation allocation_ = AllocationOf(pod_, {0});
};

TEST_F(FlightTest, NothingIsWrittenBeforeThePodIsListed) {
  StartPlan();
  EXPECT_EQ(rig_.TakeOnly<ListInFlight>(), (ListInFlight{1, {pod_.ref}}));
  rig_.Apply(InFlightListed{0});
  rig_.Pass(std::chrono::hours(1));
  EXPECT_TRUE(rig_.TakeCommands().empty());
  rig_.Apply(InFlightListed{1});
  EXPECT_EQ(rig_.TakeOnly<CreateLease>(),
            (CreateLease{LockOf(pod_, allocation_, GpuId(0), "a1"), kAttempt}));
}

TEST_F(FlightTest, ALaterRevisionOfTheListNamesThePodToo) {
  StartPlan();
  (void)rig_.TakeCommands();
  rig_.Apply(InFlightListed{7});
  EXPECT_TRUE(rig_.TakeOnly<CreateLease>());
}

TEST_F(FlightTest, ABindingCarriesTheNotedVersionAndNoNewerOne) {
  ToLocking();
  (void)rig_.TakeCommands();
  model::Pod changed = pod_;
  changed.resource_version = ResourceVersion("110");
  rig_.Apply(model::PodSeen{changed});
  rig_.Apply(LeaseAnswered{kLock, kAttempt, WriteOutcome::kDone});
  const auto bind = rig_.TakeOnly<BindPod>();
  ASSERT_TRUE(bind);
  EXPECT_EQ(bind->resource_version, ResourceVersion("90"));
  EXPECT_EQ(bind->pod, pod_.ref);
  EXPECT_EQ(bind->allocation, allocation_);
}

TEST_F(FlightTest, ABoundPodIsTakenOffTheList) {
  ToBinding();
  (void)rig_.TakeCommands();
  AnswerBinding(WriteOutcome::kDone);
  EXPECT_EQ(EndReason(), "bound");
  EXPECT_EQ(rig_.TakeOnly<ListInFlight>(), (ListInFlight{2, {}}));
}

TEST_F(FlightTest, APodWithoutGpusIsBoundAtOnce) {
  rig_.Lead();
  rig_.Apply(model::PodSeen{pod_});
  rig_.Start(PlanOf(pod_, AllocationOf(pod_, {}), "a1"));
  EXPECT_TRUE(rig_.TakeOnly<BindPod>());
}

TEST_F(FlightTest, AllLocksAreHeldBeforeTheBinding) {
  allocation_ = AllocationOf(pod_, {0, 1});
  ToLocking();
  EXPECT_EQ(rig_.TakeCommands().size(), 2U);
  rig_.Apply(LeaseAnswered{kLock, kAttempt, WriteOutcome::kDone});
  EXPECT_TRUE(rig_.TakeCommands().empty());
  rig_.Apply(LeaseAnswered{model::LeaseNameOf(kNode, GpuId(1)), kAttempt, WriteOutcome::kDone});
  EXPECT_TRUE(rig_.TakeOnly<BindPod>());
}

TEST_F(FlightTest, AnswersToOtherAttemptsMeanNothing) {
  ToLocking();
  (void)rig_.TakeCommands();
  rig_.Apply(LeaseAnswered{kLock, AttemptId("a0"), WriteOutcome::kDone});
  EXPECT_TRUE(rig_.TakeCommands().empty());
  rig_.Apply(LeaseAnswered{kLock, kAttempt, WriteOutcome::kDone});
  (void)rig_.TakeCommands();
  rig_.Apply(BindAnswered{pod_.ref.uid, AttemptId("a0"), WriteOutcome::kDone});
  EXPECT_EQ(EndReason(), "not over");
}

TEST_F(FlightTest, ALockThatIsSomebodyElsesEndsTheFlight) {
  ToLocking();
  rig_.Apply(LeaseAnswered{kLock, kAttempt, WriteOutcome::kAlreadyExists});
  EXPECT_EQ(EndReason(), "the lock gpu-node-a-0 is somebody else's");
}

TEST_F(FlightTest, ACreateOfUnknownOutcomeIsSentAgainAndOursIfItExists) {
  ToLocking();
  const auto first = rig_.TakeOnly<CreateLease>();
  rig_.Apply(LeaseAnswered{kLock, kAttempt, WriteOutcome::kUnknown});
  EXPECT_TRUE(rig_.TakeCommands().empty());
  EXPECT_TRUE(rig_.PassToWake());
  EXPECT_EQ(rig_.TakeOnly<CreateLease>(), first);
  rig_.Apply(LeaseAnswered{kLock, kAttempt, WriteOutcome::kAlreadyExists});
  EXPECT_TRUE(rig_.TakeCommands().empty());
  rig_.Apply(LeaseSeen{Stored(first->lease, "105")});
  EXPECT_TRUE(rig_.TakeOnly<BindPod>());
}

TEST_F(FlightTest, ALockThatExistsIsNotOursWithoutOurAttempt) {
  ToLocking();
  rig_.Apply(LeaseAnswered{kLock, kAttempt, WriteOutcome::kUnknown});
  EXPECT_TRUE(rig_.PassToWake());
  (void)rig_.TakeCommands();
  rig_.Apply(LeaseAnswered{kLock, kAttempt, WriteOutcome::kAlreadyExists});
  rig_.Apply(LeaseSeen{Stored(LockOf(pod_, allocation_, GpuId(0), "a0"), "105")});
  EXPECT_EQ(EndReason(), "the lock gpu-node-a-0 is somebody else's");
}

TEST_F(FlightTest, TheViewIsNotWaitedForForEver) {
  ToLocking();
  rig_.Apply(LeaseAnswered{kLock, kAttempt, WriteOutcome::kUnknown});
  EXPECT_TRUE(rig_.PassToWake());
  rig_.Apply(LeaseAnswered{kLock, kAttempt, WriteOutcome::kAlreadyExists});
  rig_.Pass(std::chrono::seconds(5));
  EXPECT_EQ(EndReason(), "the lock gpu-node-a-0 was not seen to be ours");
}

TEST_F(FlightTest, LocksThatAreNeverAnsweredEndTheFlight) {
  ToLocking();
  rig_.Pass(std::chrono::seconds(30));
  EXPECT_EQ(EndReason(), "the locks took too long");
}

TEST_F(FlightTest, OutcomesThatCannotGetBetterEndTheFlight) {
  for (const WriteOutcome outcome : {WriteOutcome::kConflict, WriteOutcome::kNotFound,
                                     WriteOutcome::kNotExecuted, WriteOutcome::kRefused}) {
    rig_ = Rig();
    ToLocking();
    rig_.Apply(LeaseAnswered{kLock, kAttempt, outcome});
    EXPECT_EQ(EndReason(), "the lock gpu-node-a-0 could not be taken");
  }
}

// Plans to join a shared lock at version 95.
class JoinTest : public FlightTest {
 protected:
  void ToJoining() {
    rig_.Lead();
    rig_.Apply(model::PodSeen{other_});
    rig_.Apply(model::PodSeen{pod_});
    rig_.Apply(LeaseSeen{lease_});
    Plan plan = PlanOf(pod_, allocation_, "a1");
    model::GpuLease joined = lease_;
    joined.holders.push_back(plan.locks[0].holders[0]);
    plan.locks = {joined};
    rig_.Start(plan);
    (void)rig_.TakeCommands();
    rig_.Apply(InFlightListed{1});
    EXPECT_EQ(rig_.TakeOnly<UpdateLease>(), (UpdateLease{joined, kAttempt}));
  }

  model::Allocation others_ =
      AllocationOf(PodNamed("other", "80"), {0}, model::AllocationMode::kShared);
  model::Pod other_ = Bound(PodNamed("other", "80"), others_, "85");
  model::GpuLease lease_ = Stored(LockOf(other_, others_, GpuId(0), "a0"), "95");

  JoinTest() { allocation_ = AllocationOf(pod_, {0}, model::AllocationMode::kShared); }
};

TEST_F(JoinTest, AJoinOfUnknownOutcomeIsDecidedByTheView) {
  ToJoining();
  rig_.Apply(LeaseAnswered{kLock, kAttempt, WriteOutcome::kUnknown});
  model::GpuLease joined = lease_;
  joined.holders.push_back({pod_.ref, {GpuId(0)}, kAttempt});
  joined.resource_version = ResourceVersion("105");
  rig_.Apply(LeaseSeen{joined});
  EXPECT_TRUE(rig_.TakeOnly<BindPod>());
}

TEST_F(JoinTest, AJoinThatSomebodyElseOvertookIsOver) {
  ToJoining();
  rig_.Apply(LeaseAnswered{kLock, kAttempt, WriteOutcome::kUnknown});
  model::GpuLease moved = lease_;
  moved.resource_version = ResourceVersion("105");
  rig_.Apply(LeaseSeen{moved});
  EXPECT_EQ(EndReason(), "the lock gpu-node-a-0 is somebody else's");
}

TEST_F(JoinTest, AJoinThatMeetsAConflictIsOver) {
  ToJoining();
  rig_.Apply(LeaseAnswered{kLock, kAttempt, WriteOutcome::kConflict});
  EXPECT_EQ(EndReason(), "the lock gpu-node-a-0 could not be taken");
}

TEST_F(FlightTest, PlainAnswersToABindingEndTheFlight) {
  for (const WriteOutcome outcome :
       {WriteOutcome::kNotFound, WriteOutcome::kNotExecuted, WriteOutcome::kRefused}) {
    rig_ = Rig();
    ToBinding();
    AnswerBinding(outcome);
    const auto finished = rig_.TakeOnlyReport<Finished>();
    ASSERT_TRUE(finished && finished->not_bound);
    EXPECT_EQ(finished->not_bound->step, Step::kBinding);
    EXPECT_EQ(finished->not_bound->outcome, outcome);
  }
}

TEST_F(FlightTest, AnUnknownBindingIsTouchedAndStaysOnTheListUntilThatIsAnswered) {
  ToTouching();
  const auto first = rig_.TakeOnly<TouchPod>();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->message, "me/3/1");
  for (const WriteOutcome outcome : {WriteOutcome::kUnknown, WriteOutcome::kNotExecuted,
                                     WriteOutcome::kConflict, WriteOutcome::kRefused}) {
    AnswerTouch(outcome, "");
    EXPECT_TRUE(rig_.TakeCommands().empty());
    EXPECT_TRUE(rig_.PassToWake());
    const auto again = rig_.TakeOnly<TouchPod>();
    ASSERT_TRUE(again);
    EXPECT_NE(again->message, first->message);
  }
  EXPECT_EQ(EndReason(), "not over");
}

TEST_F(FlightTest, ABindingThatMetAConflictIsTouchedToo) {
  ToBinding();
  (void)rig_.TakeCommands();
  AnswerBinding(WriteOutcome::kConflict);
  EXPECT_TRUE(rig_.TakeOnly<TouchPod>());
}

TEST_F(FlightTest, ATouchThatFindsThePodAsPlannedMeansBound) {
  ToTouching();
  AnswerTouch(WriteOutcome::kDone, "node-a");
  EXPECT_EQ(EndReason(), "bound");
}

TEST_F(FlightTest, ATouchThatFindsThePodUnboundMeansThatTheBindingNeverComes) {
  ToTouching();
  AnswerTouch(WriteOutcome::kDone, "");
  EXPECT_EQ(EndReason(), "the pod has changed since it was decided");
}

TEST_F(FlightTest, ATouchThatFindsThePodElsewhereEndsTheFlight) {
  ToTouching();
  AnswerTouch(WriteOutcome::kDone, "node-b");
  EXPECT_EQ(EndReason(), "somebody has bound the pod to node-b");
}

TEST_F(FlightTest, ATouchThatFindsNoPodEndsTheFlight) {
  ToTouching();
  AnswerTouch(WriteOutcome::kNotFound, "");
  EXPECT_EQ(EndReason(), "the pod is gone");
}

TEST_F(FlightTest, FactsShortenTheWait) {
  ToTouching();
  rig_.Apply(model::PodSeen{Bound(pod_, allocation_, "110")});
  EXPECT_EQ(EndReason(), "bound");

  rig_ = Rig();
  ToTouching();
  rig_.Apply(model::PodGone{pod_.ref});
  EXPECT_EQ(EndReason(), "the pod is gone");

  rig_ = Rig();
  ToTouching();
  model::Pod ended = pod_;
  ended.phase = model::PodPhase::kFailed;
  rig_.Apply(model::PodSeen{ended});
  EXPECT_EQ(EndReason(), "the pod has ended");
}

TEST_F(FlightTest, BoundWithOtherGpusIsNotAsPlanned) {
  ToBinding();
  rig_.Apply(model::PodSeen{Bound(pod_, AllocationOf(pod_, {1}), "110")});
  EXPECT_EQ(EndReason(), "somebody has bound the pod to node-a");
}

TEST_F(FlightTest, NoBindingIsSentForAPodThatIsBeingDeleted) {
  ToLocking();
  model::Pod leaving = pod_;
  leaving.is_terminating = true;
  rig_.Apply(model::PodSeen{leaving});
  EXPECT_EQ(EndReason(), "the pod is being deleted");
}

}  // namespace
}  // namespace gs::commit
