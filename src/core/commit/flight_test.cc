#include "core/commit/flight.h"

#include <gtest/gtest.h>

#include <chrono>

#include "core/commit/rig.h"

namespace gs::commit {
namespace {

using model::BindAnswered;
using model::BindPod;
using model::InFlightListed;
using model::ListInFlight;
using model::TouchAnswered;
using model::TouchPod;
using model::WriteOutcome;

const AttemptId kAttempt("a1");

// A leader, a pod with one GPU planned for it, and where that has come to.
class FlightTest : public testing::Test {
 protected:
  void StartPlan() {
    rig_.Lead();
    rig_.Apply(model::PodSeen{pod_});
    rig_.Start(PlanOf(pod_, allocation_, "a1"));
  }
  void ToBinding() {
    StartPlan();
    (void)rig_.TakeCommands();
    rig_.Apply(InFlightListed{1});
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
  // The only list since the last time names this pod.
  bool IsListedAlone() {
    const auto lists = rig_.TakeAll<ListInFlight>();
    return lists.size() == 1 &&
           lists[0].in_flight == std::vector<model::InFlightPod>{EntryOf(pod_, allocation_)};
  }
  // What the list says of versions, once it names nobody.
  std::string SettledWhenTakenOff() {
    const auto lists = rig_.TakeAll<ListInFlight>();
    if (lists.empty() || !lists.back().in_flight.empty()) return "still listed";
    return lists.back().settled.text();
  }

  Rig rig_;
  model::Pod pod_ = PodNamed("train", "90");
  model::Allocation allocation_ = AllocationOf(pod_, {0});
};

TEST_F(FlightTest, NothingIsWrittenBeforeThePodIsListedWithItsGpus) {
  StartPlan();
  EXPECT_EQ(rig_.TakeOnly<ListInFlight>(), (ListInFlight{.revision = 1,
                                                         .in_flight = {EntryOf(pod_, allocation_)},
                                                         .view = ResourceVersion("100")}));
  rig_.Apply(InFlightListed{0});
  rig_.Pass(std::chrono::hours(1));
  EXPECT_TRUE(rig_.TakeCommands().empty());
  rig_.Apply(InFlightListed{1});
  EXPECT_EQ(rig_.TakeOnly<BindPod>(),
            (BindPod{pod_.ref, ResourceVersion("90"), kAttempt, allocation_}));
}

TEST_F(FlightTest, ALaterRevisionOfTheListNamesThePodToo) {
  StartPlan();
  (void)rig_.TakeCommands();
  rig_.Apply(InFlightListed{7});
  EXPECT_TRUE(rig_.TakeOnly<BindPod>());
}

TEST_F(FlightTest, ABindingIsSentOnce) {
  ToBinding();
  (void)rig_.TakeCommands();
  rig_.Apply(InFlightListed{1});
  rig_.Apply(InFlightListed{2});
  rig_.Pass(std::chrono::hours(1));
  EXPECT_TRUE(rig_.TakeCommands().empty());
}

TEST_F(FlightTest, ABindingCarriesTheNotedVersionAndNoNewerOne) {
  StartPlan();
  (void)rig_.TakeCommands();
  model::Pod changed = pod_;
  changed.resource_version = ResourceVersion("110");
  rig_.Apply(model::PodSeen{changed});
  rig_.Apply(InFlightListed{1});
  const auto bind = rig_.TakeOnly<BindPod>();
  ASSERT_TRUE(bind);
  EXPECT_EQ(bind->resource_version, ResourceVersion("90"));
}

TEST_F(FlightTest, ABoundPodIsTakenOffTheListOnlyOnceItIsSeenBound) {
  ToBinding();
  (void)rig_.TakeCommands();
  AnswerBinding(WriteOutcome::kDone);
  EXPECT_EQ(EndReason(), "bound");
  EXPECT_FALSE(rig_.commit().IsInFlight(pod_.ref.uid));
  EXPECT_TRUE(rig_.TakeAll<ListInFlight>().empty());
  rig_.Apply(model::PodSeen{pod_});  // from before the Binding
  rig_.Pass(std::chrono::hours(1));
  EXPECT_TRUE(rig_.TakeAll<ListInFlight>().empty());
  rig_.Apply(model::PodSeen{Bound(pod_, allocation_, "110")});
  EXPECT_EQ(SettledWhenTakenOff(), "110");
}

TEST_F(FlightTest, ABoundPodThatIsSeenBeforeTheAnswerIsTakenOffAtOnce) {
  ToBinding();
  (void)rig_.TakeCommands();
  rig_.Apply(model::PodSeen{Bound(pod_, allocation_, "110")});
  EXPECT_EQ(EndReason(), "bound");
  EXPECT_EQ(SettledWhenTakenOff(), "110");
  AnswerBinding(WriteOutcome::kDone);
  EXPECT_TRUE(rig_.TakeReports().empty());
}

TEST_F(FlightTest, ABoundPodThatIsGoneBeforeItWasSeenIsTakenOffAndLeavesNothing) {
  ToBinding();
  (void)rig_.TakeCommands();
  AnswerBinding(WriteOutcome::kDone);
  (void)rig_.TakeCommands();
  rig_.Apply(model::PodGone{pod_.ref});
  EXPECT_EQ(SettledWhenTakenOff(), "");
}

TEST_F(FlightTest, APodWithoutGpusIsBoundAtOnceAndNeverListed) {
  rig_.Lead();
  rig_.Apply(model::PodSeen{pod_});
  rig_.Start(PlanOf(pod_, AllocationOf(pod_, {}), "a1"));
  EXPECT_TRUE(rig_.TakeOnly<BindPod>());
  AnswerBinding(WriteOutcome::kDone);
  EXPECT_EQ(EndReason(), "bound");
  EXPECT_TRUE(rig_.TakeCommands().empty());
}

TEST_F(FlightTest, AnswersToOtherAttemptsMeanNothing) {
  ToBinding();
  (void)rig_.TakeCommands();
  rig_.Apply(BindAnswered{pod_.ref.uid, AttemptId("a0"), WriteOutcome::kDone});
  EXPECT_EQ(EndReason(), "not over");
  AnswerBinding(WriteOutcome::kUnknown);
  rig_.Apply(TouchAnswered{
      pod_.ref.uid, AttemptId("a0"), WriteOutcome::kDone, {}, ResourceVersion("120")});
  EXPECT_EQ(EndReason(), "not over");
}

TEST_F(FlightTest, AnEntryThatAnotherReleaseIsInTheWayOfIsOverAndTakenOff) {
  StartPlan();
  (void)rig_.TakeCommands();
  rig_.Apply(InFlightListed{.revision = 1, .refused = {pod_.ref.uid}});
  const auto finished = rig_.TakeOnlyReport<Finished>();
  ASSERT_TRUE(finished && finished->not_bound);
  EXPECT_EQ(finished->not_bound->step, Step::kListing);
  EXPECT_EQ(finished->not_bound->outcome, WriteOutcome::kConflict);
  EXPECT_EQ(finished->not_bound->reason,
            "another release is committing a pod to node-a:0 or next to it");
  EXPECT_EQ(SettledWhenTakenOff(), "");
  EXPECT_FALSE(rig_.commit().IsInFlight(pod_.ref.uid));
}

TEST_F(FlightTest, WhatWasRefusedInAnEarlierListSaysNothingOfThisOne) {
  StartPlan();
  rig_.Apply(InFlightListed{.revision = 1, .refused = {pod_.ref.uid}});
  (void)rig_.TakeReports();
  rig_.Start(PlanOf(pod_, allocation_, "a2"));
  (void)rig_.TakeCommands();
  rig_.Apply(InFlightListed{.revision = 1, .refused = {pod_.ref.uid}});
  EXPECT_EQ(EndReason(), "not over");
  rig_.Apply(InFlightListed{3});
  EXPECT_TRUE(rig_.TakeOnly<BindPod>());
}

TEST_F(FlightTest, ARefusalMeansNothingToWhatWasListedBefore) {
  ToBinding();
  rig_.Apply(InFlightListed{.revision = 2, .refused = {pod_.ref.uid}});
  EXPECT_EQ(EndReason(), "not over");
}

TEST_F(FlightTest, PlainAnswersToABindingEndTheFlight) {
  for (const WriteOutcome outcome :
       {WriteOutcome::kNotFound, WriteOutcome::kNotExecuted, WriteOutcome::kRefused}) {
    rig_ = Rig();
    ToBinding();
    (void)rig_.TakeCommands();
    AnswerBinding(outcome);
    const auto finished = rig_.TakeOnlyReport<Finished>();
    ASSERT_TRUE(finished && finished->not_bound);
    EXPECT_EQ(finished->not_bound->step, Step::kBinding);
    EXPECT_EQ(finished->not_bound->outcome, outcome);
    EXPECT_EQ(SettledWhenTakenOff(), "");
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

TEST_F(FlightTest, ATouchThatFindsThePodAsPlannedMeansBoundAndSaysSinceWhen) {
  ToTouching();
  (void)rig_.TakeCommands();
  AnswerTouch(WriteOutcome::kDone, "node-a");
  EXPECT_EQ(EndReason(), "bound");
  EXPECT_EQ(SettledWhenTakenOff(), "120");
}

TEST_F(FlightTest, ATouchThatFindsThePodUnboundMeansThatTheBindingNeverComes) {
  ToTouching();
  (void)rig_.TakeCommands();
  AnswerTouch(WriteOutcome::kDone, "");
  EXPECT_EQ(EndReason(), "the pod has changed since it was decided");
  EXPECT_EQ(SettledWhenTakenOff(), "");
}

TEST_F(FlightTest, ATouchThatFindsThePodElsewhereEndsTheFlightAndSaysSinceWhen) {
  ToTouching();
  (void)rig_.TakeCommands();
  AnswerTouch(WriteOutcome::kDone, "node-b");
  EXPECT_EQ(EndReason(), "somebody has bound the pod to node-b");
  EXPECT_EQ(SettledWhenTakenOff(), "120");
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
  (void)rig_.TakeCommands();
  rig_.Apply(model::PodSeen{Bound(pod_, AllocationOf(pod_, {1}), "110")});
  EXPECT_EQ(EndReason(), "somebody has bound the pod to node-a");
  EXPECT_EQ(SettledWhenTakenOff(), "110");
}

TEST_F(FlightTest, NoBindingIsSentForAPodThatIsBeingDeleted) {
  StartPlan();
  (void)rig_.TakeCommands();
  model::Pod leaving = pod_;
  leaving.is_terminating = true;
  rig_.Apply(model::PodSeen{leaving});
  EXPECT_EQ(EndReason(), "the pod is being deleted");
  (void)rig_.TakeCommands();
  rig_.Apply(InFlightListed{1});
  EXPECT_TRUE(rig_.TakeCommands().empty());
}

TEST_F(FlightTest, APodThatIsBeingDeletedMayBeBoundByWhatWasSent) {
  ToBinding();
  model::Pod leaving = pod_;
  leaving.is_terminating = true;
  rig_.Apply(model::PodSeen{leaving});
  EXPECT_EQ(EndReason(), "not over");
}

// Takes over from a leader that was binding the pod at version 90.
class ResumedTest : public FlightTest {
 protected:
  void TakeOver() {
    rig_.Apply(model::LeadershipWon{.transitions = 4,
                                    .inherited = {EntryOf(pod_, allocation_)},
                                    .settled = ResourceVersion("80")});
    rig_.Apply(model::ViewReached{model::Kind::kLease, ResourceVersion("100")});
  }
  // And has seen all that it has to.
  void Resume() {
    rig_.Apply(model::PodSeen{pod_});
    TakeOver();
    rig_.ReachPods("100");
    (void)rig_.TakeReports();
    (void)rig_.TakeCommands();
  }
  void AnswerResumedTouch(WriteOutcome outcome, const std::string& node) {
    rig_.Apply(
        TouchAnswered{pod_.ref.uid, kResumed, outcome, NodeName(node), ResourceVersion("120")});
  }

  const AttemptId kResumed{"me/resumed/uid-train"};
};

TEST_F(ResumedTest, IsTouchedAtOnceAndReportedOnceEverythingElseIsKnown) {
  rig_.Apply(model::PodSeen{pod_});
  TakeOver();
  EXPECT_EQ(rig_.TakeOnly<TouchPod>(), (TouchPod{pod_.ref, kResumed, "me/4/1"}));
  EXPECT_FALSE(rig_.commit().is_ready());
  EXPECT_TRUE(rig_.TakeReports().empty());
  rig_.ReachPods("100");
  EXPECT_TRUE(rig_.commit().is_ready()) << "its touch is not awaited";
  EXPECT_EQ(rig_.TakeOnlyReport<Resumed>(),
            (Resumed{pod_.ref, model::AllocationOf(EntryOf(pod_, allocation_))}));
  rig_.Pass(Duration(0));
  EXPECT_TRUE(rig_.TakeReports().empty());
}

TEST_F(ResumedTest, HasItsGpusUntilItIsTouched) {
  Resume();
  const model::Pod other = PodNamed("other", "95");
  rig_.Start(PlanOf(other, AllocationOf(other, {0}), "a1"));
  EXPECT_EQ(EndReason(), "gpu-node-a-0 is being given to default/train");
  AnswerResumedTouch(WriteOutcome::kDone, "");
  EXPECT_EQ(EndReason(), "the pod has changed since it was decided");
  rig_.Start(PlanOf(other, AllocationOf(other, {0}), "a2"));
  EXPECT_EQ(EndReason(), "not over");
  EXPECT_TRUE(rig_.commit().IsInFlight(other.ref.uid));
}

TEST_F(ResumedTest, StaysListedUntilItIsTouched) {
  Resume();
  const model::Pod other = PodNamed("other", "95");
  const auto others = AllocationOf(other, {1});
  rig_.Start(PlanOf(other, others, "a1"));
  const auto list = rig_.TakeOnly<ListInFlight>();
  ASSERT_TRUE(list);
  EXPECT_EQ(list->in_flight, (std::vector{EntryOf(other, others), EntryOf(pod_, allocation_)}));
  AnswerResumedTouch(WriteOutcome::kDone, "");
  EXPECT_EQ(rig_.TakeOnly<ListInFlight>()->in_flight, (std::vector{EntryOf(other, others)}));
}

TEST_F(ResumedTest, FoundBoundByItsTouchSettlesThatVersionAndHolds) {
  Resume();
  AnswerResumedTouch(WriteOutcome::kDone, "node-a");
  EXPECT_EQ(EndReason(), "bound");
  EXPECT_EQ(SettledWhenTakenOff(), "120");
  const model::Pod other = PodNamed("other", "95");
  rig_.Start(PlanOf(other, AllocationOf(other, {0}), "a1"));
  EXPECT_EQ(EndReason(), "gpu-node-a-0 is held by default/train");
}

TEST_F(ResumedTest, FoundBoundBeforeAnythingIsDecidedHasToBeSeenFirst) {
  rig_.Apply(model::PodSeen{pod_});
  TakeOver();
  AnswerResumedTouch(WriteOutcome::kDone, "node-a");
  rig_.ReachPods("119");
  EXPECT_FALSE(rig_.commit().is_ready());
  rig_.ReachPods("120");
  EXPECT_TRUE(rig_.commit().is_ready());
}

TEST_F(ResumedTest, SeenBoundBeforeNeedsNoTouch) {
  rig_.Apply(model::PodSeen{Bound(pod_, allocation_, "95")});
  TakeOver();
  EXPECT_EQ(EndReason(), "bound");
  EXPECT_EQ(SettledWhenTakenOff(), "95");
  rig_.ReachPods("100");
  EXPECT_TRUE(rig_.TakeReports().empty());
}

TEST_F(ResumedTest, GoneIsOver) {
  Resume();
  rig_.Apply(model::PodGone{pod_.ref});
  EXPECT_EQ(EndReason(), "the pod is gone");
  EXPECT_EQ(SettledWhenTakenOff(), "");
}

TEST_F(ResumedTest, AnsweredAsGoneIsOver) {
  Resume();
  AnswerResumedTouch(WriteOutcome::kNotFound, "");
  EXPECT_EQ(EndReason(), "the pod is gone");
  EXPECT_EQ(SettledWhenTakenOff(), "");
}

TEST_F(ResumedTest, ThatCannotBeTouchedIsReportedOnceAndStopsNobodyElse) {
  Resume();
  std::size_t reports = 0;
  for (int i = 0; i < 40; ++i) {
    AnswerResumedTouch(WriteOutcome::kRefused, "");
    ASSERT_TRUE(rig_.PassToWake());
    for (const Report& report : rig_.TakeReports()) {
      ASSERT_TRUE(std::holds_alternative<NotTouched>(report));
      EXPECT_EQ(
          std::get<NotTouched>(report),
          (NotTouched{pod_.ref, "node-a:0 stays taken until the pod can be changed or is gone"}));
      ++reports;
    }
  }
  EXPECT_EQ(reports, 1U);
  EXPECT_TRUE(rig_.commit().is_ready());
  const model::Pod other = PodNamed("other", "95");
  rig_.Start(PlanOf(other, AllocationOf(other, {0}), "a1"));
  EXPECT_EQ(EndReason(), "gpu-node-a-0 is being given to default/train");
  (void)rig_.TakeCommands();
  rig_.Start(PlanOf(other, AllocationOf(other, {1}), "a2"));
  rig_.Apply(InFlightListed{1});
  EXPECT_EQ(rig_.TakeAll<BindPod>().size(), 1U);
}

TEST_F(ResumedTest, IsNotReportedAsStuckWithinAMinute) {
  Resume();
  for (int i = 0; i < 7; ++i) {  // 0.25 + 0.5 + 1 + 2 + 4 + 8 + 16 = 31.75 seconds
    AnswerResumedTouch(WriteOutcome::kRefused, "");
    ASSERT_TRUE(rig_.PassToWake());
  }
  EXPECT_TRUE(rig_.TakeReports().empty());
}

TEST_F(ResumedTest, ThatTheViewHasNotComeToYetIsAwaited) {
  pod_.resource_version = ResourceVersion("150");
  TakeOver();
  rig_.ReachPods("149");
  EXPECT_FALSE(rig_.commit().is_ready());
  rig_.ReachPods("150");
  EXPECT_TRUE(rig_.commit().is_ready());
}

}  // namespace
}  // namespace gs::commit
