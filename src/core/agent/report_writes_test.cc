#include "core/agent/report_writes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/agent/values_for_test.h"

namespace gs::agent {
namespace {

using model::WriteOutcome;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::kNode;
using testing::kNodeUid;
using testing::MachineWith;
using ::testing::Optional;

class ReportWritesTest : public ::testing::Test {
 protected:
  ReportWritesTest() { wanted_.machine = MachineWith({"A", "B"}); }

  std::optional<Command> Next() { return writes_.Next(kNodeUid, wanted_, now_); }
  void Answer(WriteOutcome outcome, int version = 0) {
    writes_.Answer({outcome, ResourceVersion(version == 0 ? "" : std::to_string(version))}, now_);
  }
  void Pass(Duration time) {
    now_ += time;
    wanted_.notes.observed_at = now_;
  }
  // The object is there, ours, and says what is wanted, at version 11.
  void Settle() {
    writes_.SeeComplete();
    wanted_.notes.observed_at = now_;
    ASSERT_THAT(Next(), Optional(Command(CreateObject{kNodeUid})));
    Answer(WriteOutcome::kDone, 10);
    ASSERT_THAT(Next(), Optional(Command(WriteReport{wanted_})));
    Answer(WriteOutcome::kDone, 11);
  }
  model::MachineSeen Stored(const std::string& reporter, int version) {
    return {.node = kNode,
            .machine = wanted_.machine,
            .resource_version = ResourceVersion(std::to_string(version)),
            .owner = kNodeUid,
            .reporter = reporter,
            .notes = wanted_.notes};
  }

  ReportWrites writes_{"me", {}, 7};
  model::NodeReport wanted_;
  TimePoint now_{hours(1000)};
};

TEST_F(ReportWritesTest, NothingIsWrittenBeforeItIsKnownWhatIsThere) {
  EXPECT_EQ(Next(), std::nullopt);
  writes_.SeeComplete();
  EXPECT_THAT(Next(), Optional(Command(CreateObject{kNodeUid})));
  EXPECT_EQ(Next(), std::nullopt) << "the answer is not there yet";
}

TEST_F(ReportWritesTest, ANodeThatNeverHadAGpuHasNoObject) {
  wanted_.machine = {};
  writes_.SeeComplete();
  EXPECT_EQ(Next(), std::nullopt);
  EXPECT_EQ(writes_.NextWake(), std::nullopt);
}

TEST_F(ReportWritesTest, AnObjectThatTheViewDoesNotShowIsAdopted) {
  writes_.SeeComplete();
  ASSERT_TRUE(Next());
  Answer(WriteOutcome::kAlreadyExists);
  EXPECT_THAT(Next(), Optional(Command(AdoptObject{kNodeUid})));
  Answer(WriteOutcome::kDone, 10);
  EXPECT_THAT(Next(), Optional(Command(WriteReport{wanted_})));
}

TEST_F(ReportWritesTest, AnObjectOfAnEarlierNodeOrAgentIsAdopted) {
  for (const bool is_other_node : {true, false}) {
    ReportWrites writes("me", {}, 7);
    model::MachineSeen stored = Stored(is_other_node ? "me" : "before", 5);
    if (is_other_node) stored.owner = NodeUid("old");
    writes.See(stored, now_);
    writes.SeeComplete();
    EXPECT_THAT(writes.Next(kNodeUid, wanted_, now_), Optional(Command(AdoptObject{kNodeUid})));
  }
}

TEST_F(ReportWritesTest, WithoutAChangeTheReportIsConfirmedWithinFiveMinutes) {
  Settle();
  int writes = 0;
  TimePoint last = now_;
  for (int i = 0; i < 3600; ++i) {
    Pass(seconds(1));
    if (!Next()) continue;
    EXPECT_LE(now_ - last, minutes(5) + seconds(1));
    EXPECT_GE(now_ - last, minutes(3));
    last = now_;
    ++writes;
    Answer(WriteOutcome::kDone, 100 + i);
  }
  EXPECT_GE(writes, 12);
  EXPECT_LE(writes, 16);
}

TEST_F(ReportWritesTest, WhatCannotBeReadIsNotConfirmed) {
  Settle();
  now_ += hours(1);  // and nothing was read since
  EXPECT_EQ(Next(), std::nullopt);
}

TEST_F(ReportWritesTest, ChangesOfUseWaitForMoreOfTheirKind) {
  Settle();
  Pass(seconds(60));
  wanted_.machine.devices[0].in_use_by = {"team/a"};
  EXPECT_EQ(Next(), std::nullopt);
  ASSERT_TRUE(writes_.NextWake());
  EXPECT_LE(*writes_.NextWake(), now_ + seconds(10));
  EXPECT_GE(*writes_.NextWake(), now_ + seconds(7));
  Pass(seconds(5));
  wanted_.machine.devices[1].in_use_by = {"team/b"};
  EXPECT_EQ(Next(), std::nullopt);
  Pass(seconds(5));
  EXPECT_THAT(Next(), Optional(Command(WriteReport{wanted_})));
}

TEST_F(ReportWritesTest, AChangeThatIsTakenBackIsNotWritten) {
  Settle();
  wanted_.machine.devices[0].in_use_by = {"team/a"};
  EXPECT_EQ(Next(), std::nullopt);
  wanted_.machine.devices[0].in_use_by.clear();
  Pass(seconds(11));
  EXPECT_EQ(Next(), std::nullopt);
}

TEST_F(ReportWritesTest, AnyOtherChangeIsWrittenAtOnce) {
  Settle();
  Pass(seconds(2));
  wanted_.machine.devices[0].health = model::Health::kUnhealthy;
  EXPECT_THAT(Next(), Optional(Command(WriteReport{wanted_})));
  Answer(WriteOutcome::kDone, 12);
  Pass(seconds(2));
  wanted_.notes.why_stale = "no answer";
  EXPECT_THAT(Next(), Optional(Command(WriteReport{wanted_})));
}

TEST_F(ReportWritesTest, AReportThatIsOwedIsWrittenThoughItSaysNothingNew) {
  Settle();
  Pass(seconds(2));
  writes_.Owe();
  EXPECT_TRUE(Next());
  writes_.Owe();  // by somebody who came while that one was on its way
  Answer(WriteOutcome::kDone, 12);
  Pass(seconds(2));
  EXPECT_TRUE(Next());
  Answer(WriteOutcome::kDone, 13);
  Pass(seconds(2));
  EXPECT_EQ(Next(), std::nullopt);
}

TEST_F(ReportWritesTest, AServerThatIsAwayForAnHourIsAskedSeldomAndGetsOneWriteWhenItIsBack) {
  Settle();
  int tries = 0;
  for (int i = 0; i < 3600; ++i) {
    Pass(seconds(1));
    wanted_.machine.devices[0].in_use_by = {"team/" + std::to_string(i)};
    if (!Next()) continue;
    ++tries;
    Answer(WriteOutcome::kUnknown);
  }
  EXPECT_GT(tries, 50);
  EXPECT_LT(tries, 100);
  Pass(minutes(2));
  EXPECT_THAT(Next(), Optional(Command(WriteReport{wanted_})));
  Answer(WriteOutcome::kDone, 12);
  Pass(seconds(20));
  EXPECT_EQ(Next(), std::nullopt);
}

TEST_F(ReportWritesTest, AnObjectThatSomebodyDeletesIsMadeAgain) {
  Settle();
  Pass(seconds(2));
  writes_.SeeNone({kNode, ResourceVersion("12")});
  EXPECT_THAT(Next(), Optional(Command(CreateObject{kNodeUid})));
}

TEST_F(ReportWritesTest, NewsThatAreOlderThanOurOwnWriteAreIgnored) {
  Settle();
  Pass(seconds(2));
  writes_.SeeNone({kNode, ResourceVersion("10")});  // our object before its first report
  model::MachineSeen old = Stored("somebody", 9);
  writes_.See(old, now_);
  EXPECT_EQ(Next(), std::nullopt);
  EXPECT_FALSE(writes_.is_standing_back());
}

// Whatever a server or a reader makes of a value, it is not an edit.
TEST_F(ReportWritesTest, OurOwnWriteIsNeverWrittenTwice) {
  Settle();
  Pass(seconds(2));
  model::MachineSeen echo = Stored("me", 11);
  echo.machine.devices[0].model = "as the server spells it";
  writes_.See(echo, now_);
  EXPECT_EQ(Next(), std::nullopt);
}

TEST_F(ReportWritesTest, WhatSomebodyEditsIsPutRight) {
  Settle();
  Pass(seconds(2));
  model::MachineSeen edited = Stored("me", 12);
  edited.machine.devices.pop_back();
  writes_.See(edited, now_);
  EXPECT_THAT(Next(), Optional(Command(WriteReport{wanted_})));
}

TEST_F(ReportWritesTest, OfTwoAgentsTheElderStandsBackUntilTheOtherIsSilent) {
  Settle();
  Pass(seconds(2));
  writes_.See(Stored("younger", 12), now_);
  EXPECT_TRUE(writes_.is_standing_back());
  EXPECT_EQ(writes_.rival(), "younger");
  wanted_.machine.devices[0].health = model::Health::kUnhealthy;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Next(), std::nullopt);
    Pass(minutes(5));
    writes_.See(Stored("younger", 13 + i), now_);
  }
  Pass(minutes(11));
  EXPECT_THAT(Next(), Optional(Command(AdoptObject{kNodeUid})));
  EXPECT_FALSE(writes_.is_standing_back());
}

TEST_F(ReportWritesTest, ANameThatSomebodyRemovedIsWrittenAgain) {
  Settle();
  Pass(seconds(2));
  writes_.See(Stored("", 12), now_);
  EXPECT_FALSE(writes_.is_standing_back());
  EXPECT_THAT(Next(), Optional(Command(AdoptObject{kNodeUid})));
}

}  // namespace
}  // namespace gs::agent
