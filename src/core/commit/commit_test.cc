#include "core/commit/commit.h"

#include <gtest/gtest.h>

#include <chrono>

#include "core/commit/rig.h"

namespace gs::commit {
namespace {

using model::AllocationMode;
using model::BindPod;
using model::FenceSeen;
using model::InFlightListed;
using model::ListInFlight;
using model::Pod;
using model::TouchAnswered;
using model::TouchPod;
using model::WriteOutcome;

std::string WhyNot(Rig& rig) {
  const auto finished = rig.TakeOnlyReport<Finished>();
  return finished && finished->not_bound ? finished->not_bound->reason : "none";
}

Pod OfAnother(Pod pod) {
  pod.scheduler = SchedulerName("other-scheduler");
  return pod;
}

TEST(Commit, AGpuThatABoundPodHasIsNotGivenAgain) {
  Rig rig;
  rig.Lead();
  const Pod holder = PodNamed("a", "80");
  rig.Apply(model::PodSeen{Bound(holder, AllocationOf(holder, {0}), "85")});
  (void)rig.TakeCommands();
  const Pod pod = PodNamed("b", "80");
  rig.Start(PlanOf(pod, AllocationOf(pod, {0, 1}), "a1"));
  EXPECT_EQ(WhyNot(rig), "gpu-node-a-0 is held by default/a");
  EXPECT_TRUE(rig.TakeCommands().empty());
}

TEST(Commit, ABoundPodHoldsWhateverItsScheduler) {
  Rig rig;
  rig.Lead();
  const Pod holder = OfAnother(PodNamed("a", "80"));
  rig.Apply(model::PodSeen{Bound(holder, AllocationOf(holder, {0}), "85")});
  const Pod pod = PodNamed("b", "80");
  rig.Start(PlanOf(pod, AllocationOf(pod, {0}), "a1"));
  EXPECT_EQ(WhyNot(rig), "gpu-node-a-0 is held by default/a");
}

TEST(Commit, AGpuThatIsBeingGivenIsNotGivenAgain) {
  Rig rig;
  rig.Lead();
  const Pod first = PodNamed("a", "80");
  const Pod second = PodNamed("b", "80");
  rig.Start(PlanOf(first, AllocationOf(first, {0}), "a1"));
  rig.Start(PlanOf(second, AllocationOf(second, {0}), "a2"));
  EXPECT_EQ(WhyNot(rig), "gpu-node-a-0 is being given to default/a");
}

TEST(Commit, ABoundPodCountsBeforeTheViewShowsIt) {
  Rig rig;
  rig.Lead();
  const Pod first = PodNamed("a", "80");
  const Pod second = PodNamed("b", "80");
  rig.Apply(model::PodSeen{first});
  rig.Start(PlanOf(first, AllocationOf(first, {0}), "a1"));
  rig.Apply(InFlightListed{1});
  rig.Apply(model::BindAnswered{first.ref.uid, AttemptId("a1"), WriteOutcome::kDone});
  rig.Apply(model::PodSeen{first});  // from before the Binding
  (void)rig.TakeReports();
  rig.Start(PlanOf(second, AllocationOf(second, {0}), "a2"));
  EXPECT_EQ(WhyNot(rig), "gpu-node-a-0 is held by default/a");
}

TEST(Commit, SharersMayMeet) {
  Rig rig;
  rig.Lead();
  const Pod first = PodNamed("a", "80");
  const Pod second = PodNamed("b", "80");
  rig.Start(PlanOf(first, AllocationOf(first, {0}, AllocationMode::kShared), "a1"));
  rig.Start(PlanOf(second, AllocationOf(second, {0}, AllocationMode::kShared), "a2"));
  EXPECT_TRUE(rig.TakeReports().empty());
}

TEST(Commit, AtMost128PodsAreOnTheListAndTheOthersQueue) {
  Rig rig;
  rig.Lead();
  for (int i = 0; i < 130; ++i) {
    const Pod pod = PodNamed("p" + std::to_string(i), "80");
    rig.commit().Start(PlanOf(pod, AllocationOf(pod, {i}), "a" + std::to_string(i)), TimePoint());
  }
  rig.Pass(Duration(0));
  const auto list = rig.TakeOnly<ListInFlight>();
  ASSERT_TRUE(list);
  EXPECT_EQ(list->revision, 1U);
  EXPECT_EQ(list->in_flight.size(), 128U);
  rig.Apply(InFlightListed{1});
  EXPECT_EQ(rig.TakeAll<BindPod>().size(), 128U);
  rig.Apply(model::PodGone{PodNamed("p0", "80").ref});
  const auto next = rig.TakeOnly<ListInFlight>();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->revision, 2U);
  EXPECT_EQ(next->in_flight.size(), 128U);
  rig.Apply(InFlightListed{2});
  const auto bind = rig.TakeOnly<BindPod>();
  ASSERT_TRUE(bind);
  EXPECT_EQ(bind->attempt, AttemptId("a128"));
}

TEST(Commit, ChangesOfOneTickAreOneList) {
  Rig rig;
  rig.Lead();
  const Pod first = PodNamed("a", "80");
  const Pod second = PodNamed("b", "80");
  rig.commit().Start(PlanOf(first, AllocationOf(first, {0}), "a1"), TimePoint());
  rig.commit().Start(PlanOf(second, AllocationOf(second, {1}), "a2"), TimePoint());
  rig.Pass(Duration(0));
  EXPECT_EQ(rig.TakeOnly<ListInFlight>(),
            (ListInFlight{.revision = 1,
                          .in_flight = {EntryOf(first, AllocationOf(first, {0})),
                                        EntryOf(second, AllocationOf(second, {1}))},
                          .view = ResourceVersion("100")}));
}

TEST(Commit, AQueuedPodThatIsGoneNeverGetsOnTheList) {
  Rig rig;
  rig.Lead();
  const Pod pod = PodNamed("a", "80");
  rig.commit().Start(PlanOf(pod, AllocationOf(pod, {0}), "a1"), TimePoint());
  rig.commit().Apply(model::PodGone{pod.ref}, TimePoint());
  rig.Pass(Duration(0));
  EXPECT_TRUE(rig.TakeCommands().empty());
  EXPECT_EQ(WhyNot(rig), "the pod is gone");
}

TEST(Commit, TheListIsToldAnewWhenTheViewAdvancesWhileItIsNotStored) {
  Rig rig;
  rig.Lead();
  const Pod pod = PodNamed("a", "80");
  rig.Start(PlanOf(pod, AllocationOf(pod, {0}), "a1"));
  (void)rig.TakeCommands();
  rig.ReachPods("130");
  const auto list = rig.TakeOnly<ListInFlight>();
  ASSERT_TRUE(list);
  EXPECT_EQ(list->revision, 2U);
  EXPECT_EQ(list->view, ResourceVersion("130"));
  EXPECT_EQ(list->in_flight.size(), 1U);
  rig.Apply(InFlightListed{2});
  (void)rig.TakeCommands();
  rig.ReachPods("140");
  EXPECT_TRUE(rig.TakeCommands().empty());
}

TEST(Commit, WithTheRulesOffNothingProtects) {
  Rig rig(Rules{.listed = false, .rvpre = false, .touch = false});
  rig.Lead();
  const Pod pod = PodNamed("a", "80");
  rig.Start(PlanOf(pod, AllocationOf(pod, {0}), "a1"));
  const auto bind = rig.TakeOnly<BindPod>();
  ASSERT_TRUE(bind);
  EXPECT_TRUE(bind->resource_version.empty());
  rig.Apply(model::BindAnswered{pod.ref.uid, AttemptId("a1"), WriteOutcome::kUnknown});
  EXPECT_EQ(WhyNot(rig), "looked unbound");
}

TEST(Commit, WithoutSettledAnEntryGoesUnseenAndWithoutFreshAnyViewWillDo) {
  Rig rig(Rules{.settled = false, .fresh = false});
  rig.Apply(model::LeadershipWon{.settled = ResourceVersion("900")});
  EXPECT_TRUE(rig.commit().is_ready());
  const Pod pod = PodNamed("a", "80");
  rig.Apply(model::PodSeen{pod});
  rig.Start(PlanOf(pod, AllocationOf(pod, {0}), "a1"));
  EXPECT_EQ(rig.TakeOnly<ListInFlight>()->view, ResourceVersion("99999999999999999999"));
  rig.Apply(InFlightListed{1});
  (void)rig.TakeCommands();
  rig.Apply(model::BindAnswered{pod.ref.uid, AttemptId("a1"), WriteOutcome::kDone});
  const auto list = rig.TakeOnly<ListInFlight>();
  ASSERT_TRUE(list);
  EXPECT_TRUE(list->in_flight.empty());
  EXPECT_TRUE(list->settled.empty());
}

// A leader with a flight to GPU 0 that waits for the fence, and pods that others bind.
class MeanwhileTest : public testing::Test {
 protected:
  MeanwhileTest() { rig_.Lead(); }

  void StartOn(const std::vector<std::int32_t>& gpus, bool is_enforced = true) {
    model::Allocation allocation = AllocationOf(pod_, gpus);
    allocation.is_enforced = is_enforced;
    rig_.Start(PlanOf(pod_, allocation, "a1"));
    (void)rig_.TakeCommands();
  }
  void OtherIsBoundTo(std::int32_t gpu) {
    const Pod other = OfAnother(PodNamed("other", "80"));
    rig_.Apply(model::PodSeen{Bound(other, AllocationOf(other, {gpu}), "110")});
  }

  Rig rig_;
  Pod pod_ = PodNamed("a", "80");
};

TEST_F(MeanwhileTest, WhatClashesWithAPodThatOthersHaveBoundIsGivenUp) {
  StartOn({0, 1});
  OtherIsBoundTo(1);
  EXPECT_EQ(WhyNot(rig_), "default/other has been bound to node-a:1 meanwhile");
  EXPECT_TRUE(rig_.TakeOnly<ListInFlight>()->in_flight.empty());
  rig_.Apply(InFlightListed{1});
  EXPECT_TRUE(rig_.TakeAll<BindPod>().empty());
}

TEST_F(MeanwhileTest, WhatDoesNotClashGoesOn) {
  StartOn({0});
  OtherIsBoundTo(1);
  EXPECT_TRUE(rig_.TakeReports().empty());
}

TEST_F(MeanwhileTest, WhereADevicePluginCountsTheWholeNodeClashes) {
  StartOn({0}, /*is_enforced=*/false);
  OtherIsBoundTo(1);
  EXPECT_EQ(WhyNot(rig_), "default/other has been bound to node-a:1 meanwhile");
}

// No ids are written for parts of GPUs; the requests say that a plugin gives them.
TEST_F(MeanwhileTest, WhereOthersHaveBoundAPartOfAGpuTheWholeNodeClashes) {
  StartOn({0});
  Pod other = OfAnother(PodNamed("other", "80"));
  other.requests.others.emplace("nvidia.com/gpu.shared", 1);
  rig_.Apply(model::PodSeen{Bound(other, AllocationOf(other, {}), "110")});
  EXPECT_EQ(WhyNot(rig_), "default/other has been bound to node-a meanwhile");
}

TEST_F(MeanwhileTest, APartOfAGpuClashesWithIdsThatOthersHaveBound) {
  StartOn({}, /*is_enforced=*/false);
  OtherIsBoundTo(1);
  EXPECT_EQ(WhyNot(rig_), "default/other has been bound to node-a:1 meanwhile");
  EXPECT_TRUE(rig_.TakeAll<BindPod>().empty());
}

TEST_F(MeanwhileTest, IdsOfAnotherNodeAreNotWhatABoundPodHas) {
  StartOn({0});
  Pod other = Bound(OfAnother(PodNamed("other", "80")), AllocationOf(pod_, {0}), "110");
  other.node = NodeName("node-b");
  rig_.Apply(model::PodSeen{other});
  EXPECT_TRUE(rig_.TakeReports().empty());
}

TEST_F(MeanwhileTest, WhatIsQueuedIsGivenUpToo) {
  for (int i = 0; i < 128; ++i) {
    const Pod pod = PodNamed("p" + std::to_string(i), "80");
    rig_.Start(PlanOf(pod, AllocationOf(pod, {i + 2}), "p" + std::to_string(i)));
  }
  StartOn({0});
  OtherIsBoundTo(0);
  EXPECT_EQ(WhyNot(rig_), "default/other has been bound to node-a:0 meanwhile");
}

TEST_F(MeanwhileTest, WhatIsSentIsLeftToTheAnswer) {
  StartOn({0});
  rig_.Apply(InFlightListed{1});
  OtherIsBoundTo(0);
  (void)rig_.TakeReports();
  EXPECT_TRUE(rig_.commit().IsInFlight(pod_.ref.uid));
}

TEST_F(MeanwhileTest, OurOwnPodsAreDecidedTogetherAndDoNotClash) {
  const Pod first = PodNamed("b", "80");
  model::Allocation counted = AllocationOf(first, {1});
  counted.is_enforced = false;
  rig_.Apply(model::PodSeen{first});
  rig_.Start(PlanOf(first, counted, "b1"));
  rig_.Apply(InFlightListed{1});
  StartOn({0}, /*is_enforced=*/false);
  rig_.Apply(model::PodSeen{Bound(first, counted, "110")});
  const auto finished = rig_.TakeOnlyReport<Finished>();
  ASSERT_TRUE(finished);
  EXPECT_TRUE(finished->is_bound());
  EXPECT_TRUE(rig_.commit().IsInFlight(pod_.ref.uid));
}

TEST_F(MeanwhileTest, OurOwnPodThatIsNotWhereItWasPlannedClashes) {
  const Pod first = PodNamed("b", "80");
  rig_.Apply(model::PodSeen{first});
  rig_.Start(PlanOf(first, AllocationOf(first, {1}), "b1"));
  rig_.Apply(InFlightListed{1});
  StartOn({0});
  rig_.Apply(model::PodSeen{Bound(first, AllocationOf(first, {0}), "110")});
  EXPECT_EQ(rig_.TakeReports().size(), 2U);
  EXPECT_FALSE(rig_.commit().IsInFlight(pod_.ref.uid));
}

// A leader that is told of an entry of another release, which has become silent.
class SilentTest : public testing::Test {
 protected:
  SilentTest() { rig_.Lead(); }

  void TellOthers(bool is_silent) {
    rig_.Apply(FenceSeen{.others = {{.in_flight = entry_, .is_silent = is_silent}}});
  }
  void AnswerTouch(WriteOutcome outcome, const std::string& node, const std::string& noted = "90") {
    rig_.Apply(TouchAnswered{entry_.pod.uid, AttemptId("me/silent/" + noted), outcome,
                             NodeName(node), ResourceVersion("120")});
  }

  Rig rig_;
  Pod pod_ = OfAnother(PodNamed("theirs", "90"));
  model::InFlightPod entry_ = EntryOf(pod_, AllocationOf(pod_, {0}));
};

TEST_F(SilentTest, WhatALivingReleaseListsIsLeftAlone) {
  TellOthers(false);
  rig_.Pass(std::chrono::hours(1));
  EXPECT_TRUE(rig_.TakeCommands().empty());
}

TEST_F(SilentTest, ItsEntryIsTouchedThenDroppedWithThatVersionSettled) {
  TellOthers(true);
  EXPECT_EQ(rig_.TakeOnly<TouchPod>(), (TouchPod{entry_.pod, AttemptId("me/silent/90"), "me/3/1"}));
  TellOthers(true);
  EXPECT_TRUE(rig_.TakeCommands().empty()) << "one touch is under way";
  AnswerTouch(WriteOutcome::kDone, "");
  EXPECT_EQ(rig_.TakeOnly<ListInFlight>(), (ListInFlight{.revision = 1,
                                                         .view = ResourceVersion("100"),
                                                         .settled = ResourceVersion("120"),
                                                         .dropped = {entry_}}));
  TellOthers(true);
  EXPECT_TRUE(rig_.TakeCommands().empty()) << "it is to be dropped already";
}

TEST_F(SilentTest, ATouchWithoutAnAnswerIsSentAgain) {
  TellOthers(true);
  (void)rig_.TakeCommands();
  for (int i = 0; i < 10; ++i) {
    AnswerTouch(WriteOutcome::kRefused, "");
    EXPECT_TRUE(rig_.PassToWake());
    EXPECT_TRUE(rig_.TakeOnly<TouchPod>());
  }
}

TEST_F(SilentTest, AnEntryWhosePodIsGoneIsDroppedWithoutAnAnswer) {
  TellOthers(true);
  (void)rig_.TakeCommands();
  rig_.Apply(model::PodGone{entry_.pod});
  const auto list = rig_.TakeOnly<ListInFlight>();
  ASSERT_TRUE(list);
  EXPECT_EQ(list->dropped, (std::vector{entry_}));
  EXPECT_TRUE(list->settled.empty());
}

TEST_F(SilentTest, WhatIsOffTheFenceIsForgotten) {
  TellOthers(true);
  AnswerTouch(WriteOutcome::kDone, "");
  (void)rig_.TakeCommands();
  rig_.Apply(FenceSeen{});
  const Pod pod = PodNamed("a", "80");
  rig_.Start(PlanOf(pod, AllocationOf(pod, {1}), "a1"));
  EXPECT_TRUE(rig_.TakeOnly<ListInFlight>()->dropped.empty());
}

TEST_F(SilentTest, ALaterEntryForTheSamePodIsTouchedAnew) {
  TellOthers(true);
  AnswerTouch(WriteOutcome::kDone, "");
  (void)rig_.TakeCommands();
  entry_.noted = ResourceVersion("130");  // its release came back, and fell silent again
  TellOthers(true);
  EXPECT_EQ(rig_.TakeOnly<TouchPod>()->attempt, AttemptId("me/silent/130"));
  const Pod pod = PodNamed("a", "80");
  rig_.Start(PlanOf(pod, AllocationOf(pod, {1}), "a1"));
  EXPECT_TRUE(rig_.TakeOnly<ListInFlight>()->dropped.empty());
}

TEST_F(SilentTest, AnAnswerForAnEarlierEntrySaysNothingAboutALaterOne) {
  TellOthers(true);
  entry_.noted = ResourceVersion("130");
  TellOthers(true);
  (void)rig_.TakeCommands();
  AnswerTouch(WriteOutcome::kDone, "", "90");
  EXPECT_TRUE(rig_.TakeCommands().empty());
  AnswerTouch(WriteOutcome::kDone, "", "130");
  EXPECT_EQ(rig_.TakeOnly<ListInFlight>()->dropped, (std::vector{entry_}));
}

TEST_F(SilentTest, AReleaseThatIsHeardOfAgainKeepsItsEntry) {
  TellOthers(true);
  (void)rig_.TakeCommands();
  TellOthers(false);
  AnswerTouch(WriteOutcome::kDone, "");
  EXPECT_TRUE(rig_.TakeCommands().empty());
}

TEST_F(SilentTest, WhatWasToldBeforeWeLedIsTouchedWhenWeDo) {
  Rig rig;
  rig.Apply(FenceSeen{.others = {{.in_flight = entry_, .is_silent = true}}});
  EXPECT_TRUE(rig.TakeCommands().empty());
  rig.Apply(model::LeadershipWon{.settled = ResourceVersion("90")});
  EXPECT_EQ(rig.TakeAll<TouchPod>().size(), 1U);
}

TEST(Commit, WithoutDeadTouchWhatSilentReleasesListIsDroppedUntouched) {
  Rig rig(Rules{.dead_touch = false});
  rig.Lead();
  const Pod pod = OfAnother(PodNamed("theirs", "90"));
  const auto entry = EntryOf(pod, AllocationOf(pod, {0}));
  rig.Apply(FenceSeen{.others = {{.in_flight = entry, .is_silent = true}}});
  EXPECT_EQ(rig.TakeOnly<ListInFlight>()->dropped, (std::vector{entry}));
}

}  // namespace
}  // namespace gs::commit
