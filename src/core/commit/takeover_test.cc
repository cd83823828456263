#include "core/commit/takeover.h"

#include <gtest/gtest.h>

#include <chrono>

#include "core/commit/rig.h"

namespace gs::commit {
namespace {

using model::AskRevision;
using model::Kind;
using model::LeadershipWon;
using model::ListInFlight;
using model::RefreshView;
using model::RevisionAnswered;
using model::TouchAnswered;
using model::TouchPod;
using model::ViewReached;
using model::WriteOutcome;

const AttemptId kTakeover("me/takeover");

class TakeoverTest : public testing::Test {
 protected:
  void Win(std::vector<model::PodRef> unresolved) {
    rig_.Apply(LeadershipWon{3, ResourceVersion("100"), true, std::move(unresolved)});
  }
  void WinWithoutList() { rig_.Apply(LeadershipWon{3, ResourceVersion("100"), false, {}}); }
  void Reach(Kind kind, const std::string& version) {
    rig_.Apply(ViewReached{kind, ResourceVersion(version)});
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
    for (const model::Command& command : rig_.TakeCommands()) {
      const auto* touch = std::get_if<TouchPod>(&command);
      if (touch != nullptr) touched.push_back(touch->pod.uid.text());
    }
    return touched;
  }
  bool IsReady() { return rig_.commit().is_ready(); }

  Rig rig_;
  model::Pod a_ = PodNamed("a", "50");
  model::Pod b_ = PodNamed("b", "51");
};

using Uids = std::vector<std::string>;

TEST_F(TakeoverTest, TouchesWhatIsListedAndNothingElse) {
  rig_.Apply(model::PodSeen{a_});
  rig_.Apply(model::PodSeen{b_});
  Win({b_.ref});
  EXPECT_EQ(Touched(), Uids{"uid-b"});
}

TEST_F(TakeoverTest, IsReadyOnlyWhenTheTouchIsInViewAndTheLeasesAre) {
  Win({a_.ref});
  Reach(Kind::kPod, "100");
  Reach(Kind::kLease, "100");
  AnswerRevision("100");
  EXPECT_FALSE(IsReady());
  AnswerTouch(a_, WriteOutcome::kDone, "105");
  EXPECT_FALSE(IsReady()) << "it may have been bound between 100 and 105";
  Reach(Kind::kPod, "104");
  EXPECT_FALSE(IsReady());
  Reach(Kind::kPod, "105");
  EXPECT_TRUE(IsReady());
}

TEST_F(TakeoverTest, ALeaseViewThatIsOlderThanTheTakeoverIsNotEnough) {
  Win({});
  AnswerRevision("100");
  Reach(Kind::kPod, "100");
  Reach(Kind::kLease, "99");
  EXPECT_FALSE(IsReady());
  Reach(Kind::kLease, "100");
  EXPECT_TRUE(IsReady());
}

TEST_F(TakeoverTest, AViewFromBeforeTheTakeoverProvesNothing) {
  Reach(Kind::kPod, "99");
  Reach(Kind::kLease, "100");
  Win({});
  EXPECT_FALSE(IsReady());
  AnswerRevision("102");
  EXPECT_FALSE(IsReady());
  Reach(Kind::kPod, "102");
  EXPECT_TRUE(IsReady());
}

TEST_F(TakeoverTest, SeeingTheTouchedPodProvesNothingAboutTheOthers) {
  Win({a_.ref});
  Reach(Kind::kLease, "100");
  AnswerTouch(a_, WriteOutcome::kDone, "105");
  a_.resource_version = ResourceVersion("105");
  rig_.Apply(model::PodSeen{a_});
  EXPECT_FALSE(IsReady());
}

TEST_F(TakeoverTest, ATouchIsRepeatedWithANewMessageUntilItIsAnswered) {
  Win({a_.ref});
  (void)rig_.TakeCommands();
  for (const WriteOutcome outcome :
       {WriteOutcome::kUnknown, WriteOutcome::kNotExecuted, WriteOutcome::kRefused}) {
    AnswerTouch(a_, outcome, "");
    EXPECT_TRUE(rig_.PassToWake());
  }
  EXPECT_EQ(Touched(), (Uids{"uid-a", "uid-a", "uid-a"}));
}

TEST_F(TakeoverTest, ATouchWaitsAsLongAsTheServerAsks) {
  Win({a_.ref});
  (void)rig_.TakeCommands();
  rig_.Apply(TouchAnswered{
      a_.ref.uid, kTakeover, WriteOutcome::kNotExecuted, {}, {}, std::chrono::seconds(5)});
  rig_.Pass(std::chrono::milliseconds(4900));
  EXPECT_EQ(Touched(), Uids());
  rig_.Pass(std::chrono::milliseconds(100));
  EXPECT_EQ(Touched(), Uids{"uid-a"});
}

TEST_F(TakeoverTest, WithNothingToResolveOneWaitingPodIsTouchedForTheVersion) {
  rig_.Apply(model::PodSeen{Bound(PodNamed("0", "50"), AllocationOf(a_, {0}), "60")});
  rig_.Apply(model::PodSeen{a_});
  rig_.Apply(model::PodSeen{b_});
  Win({});
  Reach(Kind::kLease, "100");
  EXPECT_EQ(Touched(), Uids{"uid-a"});
  AnswerTouch(a_, WriteOutcome::kDone, "105");
  AnswerRevision("103");
  EXPECT_FALSE(IsReady());
  Reach(Kind::kPod, "105");
  EXPECT_TRUE(IsReady());
}

TEST_F(TakeoverTest, APodThatIsGoneNeedsNoTouch) {
  Win({a_.ref});
  AnswerRevision("100");
  Reach(Kind::kPod, "100");
  Reach(Kind::kLease, "100");
  AnswerTouch(a_, WriteOutcome::kNotFound, "");
  EXPECT_TRUE(IsReady());
}

TEST_F(TakeoverTest, WithoutAListEveryUnboundPodOfOursIsTouched) {
  const model::Pod bound = Bound(PodNamed("bound", "50"), AllocationOf(a_, {0}), "60");
  model::Pod ended = PodNamed("ended", "50");
  ended.phase = model::PodPhase::kFailed;
  model::Pod foreign = PodNamed("foreign", "50");
  foreign.scheduler = SchedulerName("default-scheduler");
  for (const model::Pod& pod : {a_, bound, ended, foreign}) rig_.Apply(model::PodSeen{pod});
  WinWithoutList();
  EXPECT_EQ(Touched(), Uids{"uid-a"});
}

TEST_F(TakeoverTest, WithoutAListPodsAreTouchedUntilTheViewIsFresh) {
  WinWithoutList();
  Reach(Kind::kLease, "100");
  AnswerRevision("102");
  rig_.Apply(model::PodSeen{a_});
  EXPECT_EQ(Touched(), Uids{"uid-a"});
  Reach(Kind::kPod, "102");
  rig_.Apply(model::PodSeen{b_});
  EXPECT_EQ(Touched(), Uids()) << "it was not there at the takeover";
  EXPECT_FALSE(IsReady());
  AnswerTouch(a_, WriteOutcome::kDone, "107");
  Reach(Kind::kPod, "107");
  EXPECT_TRUE(IsReady());
}

TEST_F(TakeoverTest, TheListIsLeftAloneUntilAllOfItIsResolved) {
  Win({a_.ref});
  AnswerRevision("100");
  Reach(Kind::kPod, "104");
  Reach(Kind::kLease, "100");
  for (const model::Command& command : rig_.TakeCommands()) {
    EXPECT_FALSE(std::holds_alternative<ListInFlight>(command));
  }
  AnswerTouch(a_, WriteOutcome::kDone, "103");
  EXPECT_EQ(rig_.TakeOnly<ListInFlight>(), (ListInFlight{1, {}}));
}

TEST_F(TakeoverTest, AnEmptyListNeedNotBeWritten) {
  Win({});
  AnswerRevision("100");
  Reach(Kind::kPod, "100");
  Reach(Kind::kLease, "100");
  EXPECT_TRUE(IsReady());
  EXPECT_EQ(rig_.TakeOnly<AskRevision>(), (AskRevision{Kind::kPod}));
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

TEST_F(TakeoverTest, AViewThatDoesNotComeIsListedAgain) {
  Reach(Kind::kPod, "99");
  Reach(Kind::kLease, "99");
  Win({});
  (void)rig_.TakeCommands();
  AnswerRevision("100");
  rig_.Pass(std::chrono::seconds(2));
  EXPECT_EQ(rig_.TakeCommands(),
            (std::vector<model::Command>{RefreshView{Kind::kPod}, RefreshView{Kind::kLease}}));
  rig_.Pass(std::chrono::seconds(2));
  EXPECT_TRUE(rig_.TakeCommands().empty());
}

TEST_F(TakeoverTest, AListThatIsNotReadToItsEndYetIsNotBegunAgain) {
  Win({});
  (void)rig_.TakeCommands();
  AnswerRevision("100");
  rig_.Pass(std::chrono::seconds(60));
  EXPECT_TRUE(rig_.TakeCommands().empty());
  Reach(Kind::kPod, "99");
  Reach(Kind::kLease, "100");
  rig_.Pass(std::chrono::seconds(2));
  EXPECT_EQ(rig_.TakeOnly<RefreshView>(), RefreshView{Kind::kPod});
}

TEST_F(TakeoverTest, ThePodThatIsTouchedForTheVersionMayBeSeenLater) {
  Win({});
  Reach(Kind::kLease, "100");
  AnswerRevision("103");
  (void)rig_.TakeCommands();
  rig_.Apply(model::PodSeen{Bound(PodNamed("0", "50"), AllocationOf(a_, {0}), "60")});
  EXPECT_EQ(Touched(), Uids());
  rig_.Apply(model::PodSeen{a_});
  EXPECT_EQ(Touched(), Uids{"uid-a"});
  rig_.Apply(model::PodSeen{b_});
  EXPECT_EQ(Touched(), Uids());
  AnswerTouch(a_, WriteOutcome::kDone, "105");
  Reach(Kind::kPod, "99");
  EXPECT_FALSE(IsReady());
  Reach(Kind::kPod, "105");
  EXPECT_TRUE(IsReady());
}

TEST_F(TakeoverTest, TheVersionIsAskedForAgainIfNobodyAnswers) {
  Win({});
  EXPECT_EQ(rig_.TakeOnly<AskRevision>(), (AskRevision{Kind::kPod}));
  AnswerRevision("");
  EXPECT_TRUE(rig_.PassToWake());
  EXPECT_EQ(rig_.TakeOnly<AskRevision>(), (AskRevision{Kind::kPod}));
}

TEST_F(TakeoverTest, WhoeverLostSaysNothingAnyMore) {
  Win({a_.ref});
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
