#include "adapters/kube/watch/watch_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/kube/watch/objects_for_test.h"

namespace gs::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Refusal Answered(int code, std::optional<Duration> retry_after = {}) {
  return {.code = code, .reason = "why " + std::to_string(code), .retry_after = retry_after};
}

const Refusal kNoAnswer{.code = 0, .reason = "reset by peer", .retry_after = {}};

const WatchTimes kTimes{.backoff = {.first = seconds(1), .max = seconds(16)},
                        .missing_period = seconds(5)};

class WatchStepsTest : public testing::Test {
 protected:
  using Words = std::vector<std::string>;

  static WatchedKind InstalledPods() {
    WatchedKind kind = Pods();
    kind.may_be_missing = true;
    return kind;
  }

  // What the last input told, in words; problems go to problems_.
  Words Told() {
    Telling telling = std::exchange(telling_, {});
    for (const Error& problem : telling.problems) problems_.push_back(ToString(problem));
    if (telling.gone_back) gone_back_.push_back(ToString(*telling.gone_back));
    return WordsOf(telling.events);
  }
  Words Page(const std::vector<std::string>& items, const std::string& version,
             const std::string& token = "") {
    steps_.PageArrived(PageText(items, version, token), now_, telling_);
    return Told();
  }
  // Of a list that is read while it arrives; without a version, that comes with the page.
  bool Item(const std::string& json, const std::string& version = "") {
    return steps_.ItemArrived(json, ResourceVersion(version), telling_).ok();
  }
  Words ListFails(const Refusal& refusal) {
    steps_.ListRefused(refusal, now_, telling_);
    return Told();
  }
  Words Frame(const std::string& line) {
    const auto frame = ParseWatchFrame(line);
    if (!frame) steps_.StreamLost(frame.error());
    is_stream_good_ = frame && steps_.FrameArrived(*frame, telling_);
    return Told();
  }
  Words WatchEnds(const std::optional<Refusal>& refusal = {}) {
    steps_.WatchEnded(refusal, now_, telling_);
    return Told();
  }
  // Whether the server serves the kind.
  Words Discovered(Serving serving) {
    EXPECT_EQ(Next(), Step(DiscoverStep{}));
    steps_.Discovered(serving, now_, telling_);
    return Told();
  }
  // What the server answers who asks which version it is at.
  Words IsAt(const std::string& version) {
    EXPECT_EQ(Next(), Step(VersionStep{}));
    steps_.VersionArrived(PageText({}, version, "more"), now_, telling_);
    return Told();
  }
  Step Next() { return steps_.Next(now_); }
  // Waits as it is told to, and says for how long.
  Duration Wait() {
    const Step step = Next();
    const auto* wait = std::get_if<WaitStep>(&step);
    const Duration began = now_;
    if (wait != nullptr) now_ = wait->until;
    return now_ - began;
  }
  Words Problems() { return std::exchange(problems_, {}); }
  Words GoneBack() { return std::exchange(gone_back_, {}); }

  static Step ListFrom(const std::string& token) { return ListStep{token}; }
  static Step WatchFrom(const std::string& version) { return WatchStep{ResourceVersion(version)}; }

  WatchSteps steps_{InstalledPods(), kTimes, 1};
  Duration now_ = minutes(10);
  Telling telling_;
  Words problems_;
  Words gone_back_;
  bool is_stream_good_ = true;
};

TEST_F(WatchStepsTest, ListsPageByPageAndThenWatches) {
  EXPECT_EQ(Next(), ListFrom(""));
  EXPECT_THAT(Page({PodText("a", "1", "3")}, "9", "more"), ElementsAre("a/1@3"));
  EXPECT_EQ(Next(), ListFrom("more"));
  EXPECT_THAT(Page({PodText("b", "2", "9")}, "9"), ElementsAre("b/2@9", "=9"));
  EXPECT_EQ(Next(), WatchFrom("9"));
  EXPECT_THAT(Problems(), IsEmpty());
}

TEST_F(WatchStepsTest, ItemsThatComeBeforeTheirPageAreToldWithIt) {
  EXPECT_TRUE(Item(PodText("a", "1", "3")));
  EXPECT_TRUE(Item(PodText("b", "2", "9")));
  EXPECT_THAT(Told(), IsEmpty());
  EXPECT_THAT(Page({}, "9"), ElementsAre("a/1@3", "b/2@9", "=9"));
  EXPECT_EQ(Next(), WatchFrom("9"));
  steps_.ListAgain();
  EXPECT_TRUE(Item(PodText("b", "2", "9")));
  EXPECT_THAT(Page({}, "12"), ElementsAre("-a/1", "=12"));
}

TEST_F(WatchStepsTest, ItemsOfAListThatBreaksOffAreForgotten) {
  (void)Page({PodText("a", "1", "3")}, "9");
  steps_.ListAgain();
  EXPECT_TRUE(Item(PodText("b", "2", "10")));
  EXPECT_THAT(ListFails(kNoAnswer), IsEmpty());
  EXPECT_THAT(Page({PodText("a", "1", "3")}, "11"), ElementsAre("=11"));
  EXPECT_FALSE(Item("{}"));
}

TEST_F(WatchStepsTest, ItemsOfAVersionThatIsKnownAreToldAtOnce) {
  EXPECT_TRUE(Item(PodText("a", "1", "3"), "9"));
  EXPECT_THAT(Told(), ElementsAre("a/1@3"));
  EXPECT_TRUE(Item(PodText("b", "2", "9"), "9"));
  EXPECT_THAT(Told(), ElementsAre("b/2@9"));
  EXPECT_THAT(Page({}, "9"), ElementsAre("=9"));
  EXPECT_EQ(Next(), WatchFrom("9"));
  steps_.ListAgain();
  EXPECT_TRUE(Item(PodText("b", "2", "9"), "12"));
  EXPECT_THAT(Told(), IsEmpty()) << "nothing is new";
  EXPECT_THAT(Page({}, "12"), ElementsAre("-a/1", "=12"));
}

TEST_F(WatchStepsTest, AListThatBreaksOffAfterSomeItemsBeginsAgainAndTakesNothingBack) {
  (void)Page({PodText("a", "1", "3")}, "9");
  steps_.ListAgain();
  EXPECT_TRUE(Item(PodText("b", "2", "10"), "12"));
  EXPECT_THAT(Told(), ElementsAre("b/2@10"));
  EXPECT_THAT(ListFails(kNoAnswer), IsEmpty()) << "what was not listed yet may be there";
  (void)Wait();
  EXPECT_EQ(Next(), ListFrom(""));
  EXPECT_TRUE(Item(PodText("a", "1", "3"), "13"));
  EXPECT_THAT(Told(), IsEmpty());
  EXPECT_THAT(Page({}, "13"), ElementsAre("-b/2", "=13")) << "it was not in the list that is whole";
}

TEST_F(WatchStepsTest, ItemsOfAListThatIsOlderThanWhatWasToldAreRefused) {
  (void)Page({PodText("a", "1", "3")}, "9");
  steps_.ListAgain();
  EXPECT_FALSE(Item(PodText("b", "2", "5"), "8"));
  EXPECT_THAT(Told(), IsEmpty());
}

TEST_F(WatchStepsTest, FramesAreToldAndMoveTheVersion) {
  (void)Page({PodText("a", "1", "3")}, "9");
  EXPECT_THAT(Frame(FrameText("MODIFIED", PodText("a", "1", "10"))), ElementsAre("a/1@10"));
  EXPECT_THAT(Frame(FrameText("ADDED", PodText("b", "2", "11"))), ElementsAre("b/2@11"));
  EXPECT_THAT(Frame(FrameText("DELETED", PodText("a", "1", "12"))), ElementsAre("-a/1"));
  EXPECT_THAT(Frame(BookmarkText("20")), ElementsAre("=20"));
  EXPECT_THAT(WatchEnds(), IsEmpty());
  EXPECT_THAT(IsAt("20"), IsEmpty());
  EXPECT_EQ(Next(), WatchFrom("20"));
}

TEST_F(WatchStepsTest, AWatchThatIsCutGoesOnWhereItWasAtOnce) {
  (void)Page({}, "9");
  (void)Frame(BookmarkText("10"));
  EXPECT_THAT(WatchEnds(kNoAnswer), IsEmpty());
  EXPECT_THAT(IsAt("10"), IsEmpty());
  EXPECT_EQ(Next(), WatchFrom("10"));
  EXPECT_THAT(Problems(), ElementsAre("watching pods: reset by peer"));
}

TEST_F(WatchStepsTest, WithoutProgressTheSecondTimeWaitsAndLongerEachTime) {
  (void)Page({}, "9");
  (void)WatchEnds(kNoAnswer);
  EXPECT_EQ(Wait(), Duration(0));
  for (const int most : {1, 2, 4, 8, 16, 16}) {
    (void)WatchEnds(kNoAnswer);
    const Duration waited = Wait();
    EXPECT_LE(waited, seconds(most));
    EXPECT_GE(waited, milliseconds(500) * most);
    (void)IsAt("30");
    EXPECT_EQ(Next(), WatchFrom("9"));
  }
  (void)Frame(BookmarkText("10"));
  (void)WatchEnds(kNoAnswer);
  EXPECT_EQ(Wait(), Duration(0));
}

TEST_F(WatchStepsTest, AQuietWatchThatLastedIsNoFailure) {
  (void)Page({}, "9");
  for (int i = 0; i < 3; ++i) {
    now_ += minutes(5);
    EXPECT_THAT(WatchEnds(), IsEmpty());
    EXPECT_THAT(IsAt("9"), IsEmpty());
    EXPECT_EQ(Next(), WatchFrom("9"));
  }
}

TEST_F(WatchStepsTest, AVersionThatIsTooOldMeansANewList) {
  (void)Page({PodText("a", "1", "3"), PodText("b", "2", "4")}, "9");
  EXPECT_THAT(Frame(ErrorText(410, "Expired")), IsEmpty());
  EXPECT_FALSE(is_stream_good_);
  EXPECT_THAT(WatchEnds(), IsEmpty());
  EXPECT_EQ(Next(), ListFrom(""));
  EXPECT_THAT(Page({PodText("b", "2", "4")}, "30"), ElementsAre("-a/1", "=30"));
  EXPECT_EQ(Next(), WatchFrom("30"));
  EXPECT_THAT(WatchEnds(Answered(410)), IsEmpty());
  EXPECT_THAT(Problems(), IsEmpty());
}

TEST_F(WatchStepsTest, ListsAndVersionsThatAreTooOldInTurnSlowDown) {
  (void)Page({}, "9");
  (void)WatchEnds(Answered(410));
  EXPECT_EQ(Wait(), Duration(0));
  (void)Page({}, "9");
  (void)WatchEnds(Answered(410));
  EXPECT_GT(Wait(), Duration(0));
  EXPECT_EQ(Next(), ListFrom(""));
}

TEST_F(WatchStepsTest, AListThatGrowsTooOldBeginsAgainAndSaysNothingIsGone) {
  (void)Page({PodText("a", "1", "3"), PodText("b", "2", "4")}, "9");
  (void)WatchEnds(Answered(410));
  EXPECT_THAT(Page({PodText("b", "2", "20")}, "25", "more"), ElementsAre("b/2@20"));
  EXPECT_THAT(ListFails(Answered(410)), IsEmpty());
  EXPECT_GT(Wait(), Duration(0));
  EXPECT_EQ(Next(), ListFrom(""));
  EXPECT_THAT(Page({PodText("b", "2", "20")}, "26"), ElementsAre("-a/1", "=26"));
}

TEST_F(WatchStepsTest, AStaleListFromSomewhereInBetweenIsAskedForAgain) {
  (void)Page({PodText("a", "1", "3")}, "9");
  (void)WatchEnds(Answered(410));
  EXPECT_THAT(Page({}, "8"), IsEmpty());
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("version 8, which is older")));
  EXPECT_THAT(IsAt("9"), IsEmpty());
  EXPECT_EQ(Next(), ListFrom(""));
  EXPECT_THAT(Page({}, "9"), ElementsAre("-a/1", "=9"));
  EXPECT_THAT(GoneBack(), IsEmpty());
}

TEST_F(WatchStepsTest, AServerThatIsBehindWhatWasToldIsTheEnd) {
  (void)Page({PodText("a", "1", "3")}, "9");
  (void)WatchEnds(Answered(410));
  EXPECT_THAT(Page({}, "7"), IsEmpty()) << "that the pod is gone is not known";
  EXPECT_THAT(IsAt("8"), IsEmpty());
  EXPECT_THAT(GoneBack(), ElementsAre(HasSubstr("version 8, which is older")));
  for (int i = 0; i < 3; ++i) {
    EXPECT_GT(Wait(), Duration(0)) << "nothing is asked any more";
    steps_.ListAgain();
  }
  EXPECT_THAT(GoneBack(), IsEmpty()) << "it is told once";
}

// A watch from a version that is still to come would be silent, and then go on as if nothing had
// happened in between.
TEST_F(WatchStepsTest, AServerThatIsBehindWhatWasToldIsNotWatched) {
  (void)Page({PodText("a", "1", "3")}, "9");
  (void)Frame(BookmarkText("20"));
  (void)WatchEnds(kNoAnswer);
  EXPECT_THAT(IsAt("19"), IsEmpty());
  EXPECT_THAT(IsAt("19"), IsEmpty()) << "asked at once, a second time";
  EXPECT_THAT(GoneBack(), ElementsAre(HasSubstr("version 19, which is older")));
  EXPECT_GT(Wait(), Duration(0));
  EXPECT_GT(Wait(), Duration(0)) << "nothing is asked any more";
}

TEST_F(WatchStepsTest, WithoutAnAnswerHowFarTheServerIsThereIsNoWatch) {
  (void)Page({}, "9");
  (void)WatchEnds(kNoAnswer);
  for (const int code : {0, 401, 429, 503}) {
    EXPECT_EQ(Next(), Step(VersionStep{})) << code;
    steps_.VersionRefused(Answered(code), now_, telling_);
    EXPECT_GT(Wait(), Duration(0));
  }
  steps_.VersionArrived("<html>", now_, telling_);
  EXPECT_GT(Wait(), Duration(0));
  EXPECT_THAT(Told(), IsEmpty());
  (void)IsAt("9");
  EXPECT_EQ(Next(), WatchFrom("9"));
  (void)WatchEnds(kNoAnswer);
  (void)Wait();
  steps_.VersionRefused(Answered(404), now_, telling_);
  (void)Wait();
  EXPECT_EQ(Next(), ListFrom("")) << "a list says whether the kind is gone";
}

TEST_F(WatchStepsTest, PagesOfDifferentStatesAreNoList) {
  (void)Page({PodText("a", "1", "3")}, "9", "more");
  EXPECT_THAT(Page({}, "10"), IsEmpty());
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("version 10 follows pages of version 9")));
  (void)Wait();
  EXPECT_EQ(Next(), ListFrom(""));
}

TEST_F(WatchStepsTest, ABusyServerIsAskedForTheSamePageAfterTheTimeItWants) {
  (void)Page({PodText("a", "1", "3")}, "9", "more");
  for (const int code : {429, 503}) {
    EXPECT_THAT(ListFails(Answered(code, seconds(40))), IsEmpty());
    EXPECT_EQ(Wait(), seconds(40));
    EXPECT_EQ(Next(), ListFrom("more"));
  }
  EXPECT_THAT(Page({}, "9"), ElementsAre("=9"));
  (void)WatchEnds(Answered(429, seconds(50)));
  EXPECT_EQ(Wait(), seconds(50));
  (void)IsAt("9");
  EXPECT_EQ(Next(), WatchFrom("9"));
}

TEST_F(WatchStepsTest, ARefusedLoginIsAProblemAndIsTriedAgain) {
  for (const int code : {401, 403}) {
    EXPECT_THAT(ListFails(Answered(code)), IsEmpty());
    EXPECT_THAT(Problems(), ElementsAre("listing pods: why " + std::to_string(code)));
    EXPECT_GT(Wait(), Duration(0));
    EXPECT_EQ(Next(), ListFrom(""));
  }
}

TEST_F(WatchStepsTest, AMissingKindIsToldOnceAndLookedForRegularly) {
  (void)Page({PodText("b", "2", "4"), PodText("a", "1", "3")}, "9");
  EXPECT_THAT(WatchEnds(Answered(404)), IsEmpty());
  EXPECT_EQ(Next(), ListFrom(""));
  EXPECT_THAT(ListFails(Answered(404)), IsEmpty());
  EXPECT_THAT(Discovered(Serving::kNotServed), ElementsAre("-a/1", "-b/2", "missing"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Wait(), seconds(5));
    EXPECT_THAT(ListFails(Answered(404)), IsEmpty());
  }
  (void)Wait();
  EXPECT_THAT(Page({PodText("a", "7", "30")}, "31"), ElementsAre("a/7@30", "=31"));
  EXPECT_THAT(Problems(), IsEmpty());
  (void)WatchEnds(Answered(404));
  (void)Wait();
  EXPECT_THAT(ListFails(Answered(404)), IsEmpty());
  EXPECT_THAT(Discovered(Serving::kNotServed), ElementsAre("-a/7", "missing"));
}

// Proxies answer 404 too, and a list that is not there says nothing about its objects.
TEST_F(WatchStepsTest, AKindThatIsServedIsNotMissingWhateverAnswers404) {
  (void)Page({PodText("a", "1", "3")}, "9");
  (void)WatchEnds(Answered(404));
  for (const Serving serving : {Serving::kServed, Serving::kUnknown}) {
    EXPECT_EQ(Next(), ListFrom(""));
    EXPECT_THAT(ListFails(Answered(404)), IsEmpty());
    EXPECT_THAT(Discovered(serving), IsEmpty());
    EXPECT_THAT(Problems(), ElementsAre(HasSubstr("listing pods: why 404")));
    EXPECT_GT(Wait(), Duration(0));
  }
  EXPECT_THAT(Page({PodText("a", "1", "3")}, "12"), ElementsAre("=12"));
}

TEST_F(WatchStepsTest, AKindThatEveryServerKnowsIsNeverMissing) {
  steps_ = WatchSteps(Pods(), kTimes, 1);
  (void)Page({PodText("a", "1", "3")}, "9");
  (void)WatchEnds(Answered(404));
  EXPECT_THAT(ListFails(Answered(404)), IsEmpty());
  EXPECT_THAT(Problems(), ElementsAre("listing pods: why 404"));
  EXPECT_GT(Wait(), Duration(0));
}

TEST_F(WatchStepsTest, AKindThatWeMayDoWithoutIsMissingWhereItIsForbidden) {
  EXPECT_THAT(ListFails(Answered(403)), IsEmpty());
  EXPECT_THAT(Problems(), ElementsAre("listing pods: why 403"));
  WatchedKind kind = Pods();
  kind.may_be_forbidden = true;
  steps_ = WatchSteps(kind, kTimes, 1);
  EXPECT_THAT(ListFails(Answered(403)), ElementsAre("missing"));
  EXPECT_THAT(Problems(), ElementsAre("listing pods: why 403"));
  (void)Wait();
  EXPECT_THAT(Page({PodText("a", "7", "30")}, "31"), ElementsAre("a/7@30", "=31"));
}

TEST_F(WatchStepsTest, AnErrorInTheStreamGoesOnLaterFromTheSameVersion) {
  (void)Page({}, "9");
  EXPECT_THAT(Frame(ErrorText(500, "InternalError")), IsEmpty());
  EXPECT_FALSE(is_stream_good_);
  EXPECT_THAT(WatchEnds(), IsEmpty());
  EXPECT_THAT(Problems(), ElementsAre("watching pods: InternalError"));
  EXPECT_GT(Wait(), Duration(0));
  (void)IsAt("9");
  EXPECT_EQ(Next(), WatchFrom("9"));
}

TEST_F(WatchStepsTest, ABrokenFrameGoesOnLaterFromTheLastGoodVersion) {
  (void)Page({}, "9");
  (void)Frame(FrameText("ADDED", PodText("a", "1", "10")));
  EXPECT_THAT(Frame(R"({"type":"ADDED","object":{"metadata":)"), IsEmpty());
  EXPECT_FALSE(is_stream_good_);
  (void)WatchEnds();
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("watching pods: watch: ")));
  EXPECT_GT(Wait(), Duration(0));
  (void)IsAt("10");
  EXPECT_EQ(Next(), WatchFrom("10"));
}

TEST_F(WatchStepsTest, AFrameThatStaysBrokenIsGoneRoundWithAList) {
  (void)Page({}, "9");
  for (int i = 0; i < 3; ++i) {
    if (i > 0) (void)IsAt("9");
    EXPECT_EQ(Next(), WatchFrom("9"));
    (void)Frame("{");
    (void)WatchEnds();
    (void)Wait();
  }
  EXPECT_EQ(Next(), ListFrom(""));
  EXPECT_THAT(Page({}, "12"), ElementsAre("=12"));
  EXPECT_EQ(Next(), WatchFrom("12"));
}

TEST_F(WatchStepsTest, ARefusedObjectIsAProblemWithItsNameAndKeepsWhatWasTold) {
  EXPECT_THAT(Page({BrokenPodText("x", "9", "2"), PodText("a", "1", "3")}, "9"),
              ElementsAre("a/1@3", "=9"));
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("pod team/x: spec.nodeName")));
  EXPECT_THAT(Frame(FrameText("MODIFIED", BrokenPodText("a", "1", "10"))), IsEmpty());
  EXPECT_TRUE(is_stream_good_);
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("pod team/a")));
  EXPECT_THAT(Frame(FrameText("DELETED", BrokenPodText("x", "9", "11"))), IsEmpty());
  EXPECT_THAT(Frame(FrameText("DELETED", BrokenPodText("a", "1", "12"))), ElementsAre("-a/1"));
}

TEST_F(WatchStepsTest, APageWithANamelessObjectSaysNothingIsGone) {
  (void)Page({PodText("a", "1", "3")}, "9");
  (void)WatchEnds(Answered(410));
  EXPECT_THAT(Page({R"({"kind":"Pod","metadata":{}})"}, "10"), IsEmpty());
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("listing pods: list: ")));
  (void)Wait();
  EXPECT_EQ(Next(), ListFrom(""));
}

TEST_F(WatchStepsTest, APageThatIsNoListIsAskedForAgain) {
  steps_.PageArrived("<html>", now_, telling_);
  EXPECT_THAT(Told(), IsEmpty());
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("listing pods: list: ")));
  EXPECT_GT(Wait(), Duration(0));
  EXPECT_EQ(Next(), ListFrom(""));
}

// Some pods are not wanted.
class WantedOnlyTest : public WatchStepsTest {
 protected:
  WantedOnlyTest() {
    WatchedKind kind = Pods();
    kind.is_wanted = [](const JsonSource& json) {
      return json.text().find("OTHER") == std::string::npos;
    };
    steps_ = WatchSteps(std::move(kind), kTimes, 1);
  }
  static std::string Unwanted(const std::string& name, const std::string& version) {
    std::string text = PodText(name, "1", version);
    return text.replace(text.find("\"spec\""), 0, "\"OTHER\":1,");
  }
};

TEST_F(WantedOnlyTest, WhatIsNotWantedIsNotToldAndStillMovesTheView) {
  EXPECT_THAT(Page({PodText("a", "1", "2"), Unwanted("b", "3")}, "4"), ElementsAre("a/1@2", "=4"));
  (void)Next();
  Frame(FrameText("MODIFIED", Unwanted("b", "7")));
  steps_.BatchEnded(telling_);
  EXPECT_THAT(Told(), ElementsAre("=7"));
  EXPECT_THAT(Frame(FrameText("DELETED", Unwanted("b", "8"))), IsEmpty());
}

TEST_F(WantedOnlyTest, WhatIsNoLongerWantedIsGoneAndMayComeBack) {
  EXPECT_THAT(Page({PodText("a", "1", "2")}, "4"), ElementsAre("a/1@2", "=4"));
  (void)Next();
  EXPECT_THAT(Frame(FrameText("MODIFIED", Unwanted("a", "5"))), ElementsAre("-a/1"));
  EXPECT_THAT(Frame(FrameText("MODIFIED", Unwanted("a", "6"))), IsEmpty());
  EXPECT_THAT(Frame(FrameText("MODIFIED", PodText("a", "1", "7"))), ElementsAre("a/1@7"));
}

}  // namespace
}  // namespace gs::kube
