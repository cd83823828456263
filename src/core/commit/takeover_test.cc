#include "core/commit/takeover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "core/commit/rig.h"

namespace gs::commit {
namespace {

using model::AskRevision;
using model::InFlightListed;
using model::Kind;
using model::LeadershipWon;
using model::ListInFlight;
using model::RefreshView;
using model::RevisionAnswered;
using model::TouchAnswered;
using model::TouchPod;
using model::WriteOutcome;

const AttemptId kTakeover("me/takeover");

class TakeoverTest : public testing::Test {
 protected:
  // The fence was there, and says that all was seen at this version.
  void Win(const std::string& settled) {
    rig_.Apply(LeadershipWon{.transitions = 3, .settled = ResourceVersion(settled)});
  }
  // A version without this fence was committing these.
  void WinWithUnresolved(std::vector<model::PodRef> unresolved) {
    rig_.Apply(LeadershipWon{.transitions = 3, .unresolved = std::move(unresolved)});
  }
  // The fence had to be made anew.
  void WinWithoutList() { rig_.Apply(LeadershipWon{.transitions = 3, .is_list_known = false}); }
  void Reach(Kind kind, const std::string& version) {
    rig_.Apply(model::ViewReached{kind, ResourceVersion(version)});
  }
  void AnswerTouch(const model::Pod& pod, WriteOutcome outcome, const std::string& version) {
    rig_.Apply(TouchAnswered{pod.ref.uid, kTakeover, outcome, {}, ResourceVersion(version)});
  }
  void AnswerRevision(const std::string& version) {
    rig_.Apply(RevisionAnswered{Kind::kPod, ResourceVersion(version)});
  }
  // The UIDs of the pods touched since the last call.
  std::vector<std::string> Touched() {
    std::vector<std::string> touched;
    for (const TouchPod& touch : rig_.TakeAll<TouchPod>()) touched.push_back(touch.pod.uid.text());
    return touched;
  }
  bool IsReady() { return rig_.commit().is_ready(); }
  // The mark is asked to be taken off, and is.
  bool TakesTheMarkOff() {
    const auto lists = rig_.TakeAll<ListInFlight>();
    if (IsReady() || lists.empty() || !lists.back().is_settling) return false;
    rig_.Apply(InFlightListed{lists.back().revision});
    return IsReady();
  }

  Rig rig_;
  model::Pod a_ = PodNamed("a", "50");
  model::Pod b_ = PodNamed("b", "51");
};

using Uids = std::vector<std::string>;

// It was bound and went while nobody looked, so no view ever tells that it is gone.
TEST_F(TakeoverTest, WhatWasFoundBoundAndIsNotInANewerViewHasGoneSince) {
  const auto gpu = AllocationOf(a_, {0});
  rig_.Apply(LeadershipWon{
      .transitions = 3, .inherited = {EntryOf(a_, gpu)}, .settled = ResourceVersion("40")});
  const auto touch = rig_.TakeOnly<TouchPod>();
  ASSERT_TRUE(touch);
  rig_.Apply(model::PodSeen{b_});
  rig_.Apply(
      TouchAnswered{a_.ref.uid, touch->attempt, WriteOutcome::kDone, kNode, ResourceVersion("60")});
  Reach(Kind::kPod, "70");
  ASSERT_TRUE(IsReady());
  (void)rig_.TakeReports();
  rig_.Start(PlanOf(b_, AllocationOf(b_, {0}), "t"));
  EXPECT_TRUE(rig_.TakeReports().empty()) << "the GPU is free";
  EXPECT_THAT(rig_.TakeAll<ListInFlight>().back().in_flight, testing::SizeIs(1));
}

TEST_F(TakeoverTest, WithNothingListedNothingIsTouchedAndNobodyIsAsked) {
  rig_.Apply(model::PodSeen{a_});
  Win("100");
  Reach(Kind::kPod, "100");
  EXPECT_TRUE(IsReady());
  EXPECT_TRUE(rig_.TakeCommands().empty()) << "nor is the list written";
}

TEST_F(TakeoverTest, TheViewHasToComeToWhatTheFenceSaysWasSettled) {
  Reach(Kind::kPod, "99");
  Win("100");
  EXPECT_FALSE(IsReady());
  EXPECT_EQ(rig_.commit().WhyNotReady(),
            "the view of pods has to come to version 100 before anything is decided");
  Reach(Kind::kPod, "100");
  EXPECT_TRUE(IsReady());
  EXPECT_EQ(rig_.commit().WhyNotReady(), "");
}

TEST_F(TakeoverTest, WhatOthersHaveSettledHasToBeSeenToo) {
  rig_.Apply(model::FenceSeen{.settled = ResourceVersion("105")});
  Win("100");
  Reach(Kind::kPod, "104");
  EXPECT_FALSE(IsReady());
  rig_.Apply(model::FenceSeen{.settled = ResourceVersion("107")});
  Reach(Kind::kPod, "106");
  EXPECT_FALSE(IsReady());
  Reach(Kind::kPod, "107");
  EXPECT_TRUE(IsReady());
}

TEST_F(TakeoverTest, WhatOthersSettleOnceItIsReadyIsTheFencesBusiness) {
  Win("100");
  Reach(Kind::kPod, "100");
  rig_.Apply(model::FenceSeen{.settled = ResourceVersion("105")});
  EXPECT_TRUE(IsReady());
}

TEST_F(TakeoverTest, AViewThatIsNotCompleteIsNotEnough) {
  Win("3");
  rig_.Apply(model::PodSeen{a_});
  rig_.Pass(std::chrono::hours(1));
  EXPECT_FALSE(IsReady());
  Reach(Kind::kPod, "60");
  EXPECT_TRUE(IsReady());
}

// Of a release that the fence did not know, or whose version before knew no fence.
TEST_F(TakeoverTest, WhereNothingWasSettledYetTheVersionOfNowIsAskedForAndWhatIsBoundIsSettled) {
  rig_.Apply(model::PodSeen{Bound(a_, AllocationOf(a_, {0}), "60")});
  rig_.Apply(model::PodSeen{Bound(b_, AllocationOf(b_, {1}), "70")});
  Reach(Kind::kPod, "99");
  Win("");
  EXPECT_EQ(rig_.TakeOnly<AskRevision>(), (AskRevision{Kind::kPod}));
  EXPECT_EQ(rig_.commit().WhyNotReady(),
            "the API server has not said yet how new the view of pods has to be");
  AnswerRevision("102");
  EXPECT_TRUE(rig_.TakeCommands().empty());
  Reach(Kind::kPod, "103");
  EXPECT_FALSE(IsReady());
  EXPECT_EQ(rig_.TakeOnly<ListInFlight>(), (ListInFlight{.revision = 1,
                                                         .view = ResourceVersion("103"),
                                                         .settled = ResourceVersion("70"),
                                                         .is_settling = true}));
  rig_.Apply(InFlightListed{1});
  EXPECT_TRUE(IsReady());
}

// It was listed without ids. That it is bound was seen before we led, and nothing but its UID kept.
TEST_F(TakeoverTest, AnInheritedPartOfAGpuThatIsSeenBoundIsTakenOffOnceItIsTouched) {
  a_.requests.others.emplace("nvidia.com/gpu.shared", 1);
  rig_.Apply(model::PodSeen{Bound(a_, AllocationOf(a_, {}), "90")});
  Reach(Kind::kPod, "100");
  model::InFlightPod entry = EntryOf(a_, AllocationOf(a_, {}));
  entry.is_enforced = false;
  rig_.Apply(
      LeadershipWon{.transitions = 3, .inherited = {entry}, .settled = ResourceVersion("80")});
  EXPECT_EQ(Touched(), Uids{"uid-a"});
  rig_.Apply(TouchAnswered{.pod = a_.ref.uid,
                           .attempt = AttemptId("me/resumed/uid-a"),
                           .outcome = WriteOutcome::kDone,
                           .node = kNode,
                           .resource_version = ResourceVersion("100")});
  const auto list = rig_.TakeOnly<ListInFlight>();
  ASSERT_TRUE(list);
  EXPECT_TRUE(list->in_flight.empty());
  EXPECT_EQ(list->settled, ResourceVersion("100"));
  EXPECT_TRUE(IsReady());
}

TEST_F(TakeoverTest, SeeingAPodProvesNothingAboutTheOthers) {
  Win("105");
  a_.resource_version = ResourceVersion("105");
  rig_.Apply(model::PodSeen{a_});
  EXPECT_FALSE(IsReady());
}

TEST_F(TakeoverTest, TheViewOfLeasesIsNotAwaited) {
  Win("100");
  Reach(Kind::kPod, "100");
  EXPECT_TRUE(IsReady());
  rig_.Apply(model::PodSeen{Bound(a_, AllocationOf(a_, {0}), "60")});
  EXPECT_TRUE(rig_.TakeCommands().empty()) << "but no Lease is written before";
  EXPECT_FALSE(rig_.PassToWake()) << "nor is anything waited for";
  Reach(Kind::kLease, "100");
  EXPECT_TRUE(rig_.TakeOnly<model::CreateLease>());
}

TEST_F(TakeoverTest, WhatAVersionWithoutThisFenceWasCommittingIsTouchedFirst) {
  rig_.Apply(model::PodSeen{a_});
  rig_.Apply(model::PodSeen{b_});
  Reach(Kind::kPod, "100");
  WinWithUnresolved({b_.ref});
  EXPECT_EQ(Touched(), Uids{"uid-b"});
  AnswerRevision("100");
  EXPECT_FALSE(TakesTheMarkOff());
  AnswerTouch(b_, WriteOutcome::kDone, "105");
  EXPECT_FALSE(TakesTheMarkOff()) << "it may have been bound between 100 and 105";
  Reach(Kind::kPod, "104");
  EXPECT_FALSE(TakesTheMarkOff());
  Reach(Kind::kPod, "105");
  EXPECT_TRUE(TakesTheMarkOff());
}

// Otherwise another release could decide on a view that does not show what the touch has found.
TEST_F(TakeoverTest, WhatTheTouchesFoundIsSettledForOthersToo) {
  rig_.Apply(model::PodSeen{a_});
  Reach(Kind::kPod, "100");
  WinWithoutList();
  AnswerRevision("100");
  AnswerTouch(a_, WriteOutcome::kDone, "105");
  (void)rig_.TakeCommands();
  rig_.Apply(model::PodSeen{Bound(a_, AllocationOf(a_, {0}), "105")});
  Reach(Kind::kPod, "107");
  EXPECT_EQ(rig_.TakeOnly<ListInFlight>()->settled, ResourceVersion("105"));
}

TEST_F(TakeoverTest, ATouchIsRepeatedWithANewMessageUntilItIsAnswered) {
  WinWithUnresolved({a_.ref});
  (void)rig_.TakeCommands();
  for (const WriteOutcome outcome :
       {WriteOutcome::kUnknown, WriteOutcome::kNotExecuted, WriteOutcome::kRefused}) {
    AnswerTouch(a_, outcome, "");
    EXPECT_TRUE(rig_.PassToWake());
  }
  EXPECT_EQ(Touched(), (Uids{"uid-a", "uid-a", "uid-a"}));
}

TEST_F(TakeoverTest, ATouchWaitsAsLongAsTheServerAsks) {
  WinWithUnresolved({a_.ref});
  (void)rig_.TakeCommands();
  rig_.Apply(TouchAnswered{
      a_.ref.uid, kTakeover, WriteOutcome::kNotExecuted, {}, {}, std::chrono::seconds(5)});
  rig_.Pass(std::chrono::milliseconds(4900));
  EXPECT_EQ(Touched(), Uids());
  rig_.Pass(std::chrono::milliseconds(100));
  EXPECT_EQ(Touched(), Uids{"uid-a"});
}

TEST_F(TakeoverTest, ButNotForEver) {
  WinWithUnresolved({a_.ref});
  (void)rig_.TakeCommands();
  rig_.Apply(TouchAnswered{
      a_.ref.uid, kTakeover, WriteOutcome::kNotExecuted, {}, {}, std::chrono::hours(5)});
  rig_.Pass(std::chrono::seconds(30));
  EXPECT_EQ(Touched(), Uids{"uid-a"});
}

TEST_F(TakeoverTest, APodThatIsGoneNeedsNoTouch) {
  for (const bool is_answered : {true, false}) {
    rig_ = Rig();
    Reach(Kind::kPod, "100");
    WinWithoutList();
    rig_.Apply(model::PodSeen{a_});
    AnswerRevision("100");
    (void)rig_.TakeCommands();
    EXPECT_FALSE(TakesTheMarkOff());
    if (is_answered) AnswerTouch(a_, WriteOutcome::kNotFound, "");
    if (!is_answered) rig_.Apply(model::PodGone{a_.ref});
    EXPECT_TRUE(TakesTheMarkOff());
  }
}

TEST_F(TakeoverTest, WithoutAListEveryUnboundPodButKubernetesOwnIsTouched) {
  const model::Pod bound = Bound(PodNamed("bound", "50"), AllocationOf(a_, {0}), "60");
  model::Pod ended = PodNamed("ended", "50");
  ended.phase = model::PodPhase::kFailed;
  model::Pod foreign = PodNamed("foreign", "50");
  foreign.scheduler = SchedulerName("default-scheduler");
  b_.scheduler = SchedulerName("other-scheduler");
  for (const model::Pod& pod : {a_, b_, bound, ended, foreign}) rig_.Apply(model::PodSeen{pod});
  WinWithoutList();
  EXPECT_EQ(Touched(), (Uids{"uid-a", "uid-b"}));
}

TEST_F(TakeoverTest, WithoutAListPodsAreTouchedUntilTheViewIsFresh) {
  WinWithoutList();
  rig_.Apply(model::PodSeen{PodNamed("early", "49")});
  EXPECT_EQ(Touched(), Uids{"uid-early"}) << "nobody knows yet how new that is";
  AnswerRevision("102");
  rig_.Apply(model::PodSeen{a_});
  EXPECT_EQ(Touched(), Uids{"uid-a"});
  Reach(Kind::kPod, "102");
  rig_.Apply(model::PodSeen{b_});
  EXPECT_EQ(Touched(), Uids()) << "it was not there at the takeover";
  AnswerTouch(PodNamed("early", "49"), WriteOutcome::kDone, "103");
  AnswerTouch(a_, WriteOutcome::kDone, "107");
  Reach(Kind::kPod, "106");
  EXPECT_FALSE(TakesTheMarkOff());
  Reach(Kind::kPod, "107");
  EXPECT_TRUE(TakesTheMarkOff());
}

TEST_F(TakeoverTest, WithoutAListNothingIsReadyBeforeTheVersionIsKnown) {
  Reach(Kind::kPod, "100");
  WinWithoutList();
  EXPECT_FALSE(TakesTheMarkOff());
  AnswerRevision("100");
  EXPECT_TRUE(TakesTheMarkOff());
}

TEST_F(TakeoverTest, NothingIsDecidedBeforeTheMarkIsOffTheFence) {
  Reach(Kind::kPod, "100");
  WinWithoutList();
  (void)rig_.TakeCommands();
  AnswerRevision("100");
  EXPECT_EQ(
      rig_.TakeOnly<ListInFlight>(),
      (ListInFlight{
          .revision = 1, .view = ResourceVersion("100"), .settled = {}, .is_settling = true}));
  EXPECT_FALSE(IsReady());
  EXPECT_EQ(rig_.commit().WhyNotReady(),
            "the fence has to say that all before is settled, before anything is decided");
  rig_.Apply(InFlightListed{0});
  EXPECT_FALSE(IsReady());
  rig_.Apply(InFlightListed{1});
  EXPECT_TRUE(IsReady());
}

TEST_F(TakeoverTest, WhatIsInheritedWhileTheMarkStandsIsResumedAllTheSame) {
  Reach(Kind::kPod, "100");
  rig_.Apply(LeadershipWon{
      .transitions = 3, .is_list_known = false, .inherited = {EntryOf(a_, AllocationOf(a_, {0}))}});
  AnswerRevision("100");
  const auto lists = rig_.TakeAll<ListInFlight>();
  ASSERT_EQ(lists.size(), 1U);
  EXPECT_EQ(lists[0].in_flight.size(), 1U);
  EXPECT_TRUE(lists[0].is_settling);
  EXPECT_TRUE(rig_.TakeOnlyReport<Resumed>());
}

TEST_F(TakeoverTest, APodThatRefusesItsTouchIsGivenUpAfterAMinuteAndSaid) {
  rig_.Apply(model::PodSeen{a_});
  Reach(Kind::kPod, "100");
  WinWithoutList();
  AnswerRevision("100");
  (void)rig_.TakeCommands();
  Duration passed(0);
  while (passed < std::chrono::seconds(60)) {
    EXPECT_EQ(rig_.commit().WhyNotReady(),
              "the fence does not say what was being bound before, so 1 pod must be touched before "
              "anything is decided");
    EXPECT_TRUE(rig_.TakeReports().empty());
    AnswerTouch(a_, WriteOutcome::kRefused, "");
    rig_.Pass(std::chrono::seconds(5));
    passed += std::chrono::seconds(5);
  }
  EXPECT_EQ(rig_.TakeOnlyReport<NotTouched>(),
            (NotTouched{a_.ref,
                        "nothing waits for it any longer, although nobody can tell whether "
                        "an earlier leader was binding it"}));
  EXPECT_TRUE(TakesTheMarkOff());
}

TEST_F(TakeoverTest, ThousandsOfPodsAreTouchedInPortions) {
  for (int i = 0; i < 100; ++i) {
    rig_.Apply(model::PodSeen{PodNamed(std::to_string(i), "50")});
  }
  WinWithoutList();
  const Uids first = Touched();
  EXPECT_EQ(first.size(), 64U);
  rig_.Apply(TouchAnswered{PodUid(first[0]), kTakeover, WriteOutcome::kNotFound, {}, {}});
  EXPECT_EQ(Touched().size(), 1U);
}

TEST_F(TakeoverTest, WithoutTouchAllNothingIsTouchedAndWithoutTouchLateNothingThatComes) {
  rig_ = Rig(Rules{.touch_all = false});
  rig_.Apply(model::PodSeen{a_});
  WinWithoutList();
  EXPECT_EQ(Touched(), Uids());

  rig_ = Rig(Rules{.touch_late = false});
  rig_.Apply(model::PodSeen{a_});
  WinWithoutList();
  rig_.Apply(model::PodSeen{b_});
  EXPECT_EQ(Touched(), Uids{"uid-a"});
}

TEST_F(TakeoverTest, WithoutResumeWhatIsInheritedIsForgotten) {
  rig_ = Rig(Rules{.resume = false});
  Reach(Kind::kPod, "100");
  rig_.Apply(LeadershipWon{.inherited = {EntryOf(a_, AllocationOf(a_, {0}))},
                           .settled = ResourceVersion("90")});
  EXPECT_TRUE(IsReady());
  EXPECT_TRUE(rig_.TakeCommands().empty());
}

// Only what asks for the version of a moment may wait for one that no pod has.
TEST_F(TakeoverTest, AViewThatDoesNotComeIsListedAgain) {
  Reach(Kind::kPod, "99");
  WinWithoutList();
  (void)rig_.TakeCommands();
  AnswerRevision("100");
  rig_.Pass(std::chrono::milliseconds(250));
  EXPECT_EQ(rig_.TakeOnly<RefreshView>(), RefreshView{Kind::kPod});
  rig_.Pass(std::chrono::seconds(2));
  EXPECT_TRUE(rig_.TakeCommands().empty());
  rig_.Pass(std::chrono::seconds(13));
  EXPECT_EQ(rig_.TakeOnly<RefreshView>(), RefreshView{Kind::kPod});
}

TEST_F(TakeoverTest, AChangeThatIsOnItsWayIsGivenMoreTime) {
  Reach(Kind::kPod, "99");
  Win("100");
  rig_.Pass(std::chrono::milliseconds(4900));
  EXPECT_TRUE(rig_.TakeCommands().empty());
  rig_.Pass(std::chrono::milliseconds(100));
  EXPECT_EQ(rig_.TakeOnly<RefreshView>(), RefreshView{Kind::kPod});
}

TEST_F(TakeoverTest, AListThatIsNotReadToItsEndYetIsNotBegunAgain) {
  Win("100");
  rig_.Pass(std::chrono::seconds(60));
  EXPECT_TRUE(rig_.TakeCommands().empty());
  Reach(Kind::kPod, "99");
  rig_.Pass(std::chrono::seconds(2));
  EXPECT_EQ(rig_.TakeOnly<RefreshView>(), RefreshView{Kind::kPod});
}

TEST_F(TakeoverTest, TheVersionIsAskedForAgainIfNobodyAnswers) {
  WinWithoutList();
  EXPECT_EQ(rig_.TakeOnly<AskRevision>(), (AskRevision{Kind::kPod}));
  AnswerRevision("");
  EXPECT_TRUE(rig_.PassToWake());
  EXPECT_EQ(rig_.TakeOnly<AskRevision>(), (AskRevision{Kind::kPod}));
}

TEST_F(TakeoverTest, WhoeverLostSaysNothingAnyMore) {
  WinWithUnresolved({a_.ref});
  (void)rig_.TakeCommands();
  AnswerTouch(a_, WriteOutcome::kUnknown, "");
  rig_.Apply(model::LeadershipLost{"renewed too late"});
  rig_.Pass(std::chrono::hours(1));
  EXPECT_TRUE(rig_.TakeCommands().empty());
  EXPECT_FALSE(rig_.PassToWake());
  EXPECT_FALSE(IsReady());
}

}  // namespace
}  // namespace gs::commit
