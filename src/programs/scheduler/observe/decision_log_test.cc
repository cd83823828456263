#include "programs/scheduler/observe/decision_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/cycle/event_reasons.h"

namespace gs::scheduler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const TimePoint kNow{std::chrono::hours(1)};
const model::PodRef kPod{Namespace("team"), PodName("a"), PodUid("u-1")};

class DecisionLog : public testing::Test {
 protected:
  runtime::Logger LogIn(runtime::LogFormat format) {
    return runtime::Logger({.level = runtime::LogLevel::kInfo,
                            .format = format,
                            // Behind the time, which is another one every time.
                            .write = [this](std::string_view line) {
                              lines_.emplace_back(line.substr(line.find('Z') + 1));
                            }});
  }
  cycle::Ended Attempt() {
    model::Allocation allocation;
    allocation.gpus = {NodeName("n1"), {GpuId(2), GpuId(3)}};
    return {.pod = kPod,
            .launched = {.placement = {NodeName("n1"), allocation},
                         .created = kNow - seconds(9),
                         .wait = {.since = kNow - seconds(3), .tries = 1},
                         .at = kNow - milliseconds(20)},
            .not_bound = {}};
  }

  std::vector<std::string> lines_;
  runtime::Logger log_ = LogIn(runtime::LogFormat::kText);
};

TEST_F(DecisionLog, ABoundPodIsOneLineWithWhereAndAfterHowLong) {
  LogRun(log_, {.placed = 0, .without_place = 0, .ended = {Attempt()}}, {}, kNow);
  EXPECT_THAT(lines_, ElementsAre(" info bound pod=team/a uid=u-1 node=n1 gpus=2,3 waited=2.98s "
                                  "commit=20ms attempts=2\n"));
}

TEST_F(DecisionLog, AnAttemptThatFailedIsAWarning) {
  cycle::Ended failed = Attempt();
  failed.not_bound = {commit::Step::kBinding, model::WriteOutcome::kConflict, "somebody wrote"};
  LogRun(log_, {.placed = 0, .without_place = 0, .ended = {failed}}, {}, kNow);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_THAT(lines_[0], HasSubstr(" warning not bound pod=team/a uid=u-1 node=n1 gpus=2,3 "
                                   "step=binding outcome=conflict why=\"somebody wrote\""));
}

TEST_F(DecisionLog, APodThatWaitsIsOneLineAndItsEventNoSecondOne) {
  const model::Reason reason{model::ReasonToken::kTooFewGpus, "none is free"};
  LogRun(log_, {},
         {model::SetUnschedulable{kPod, reason},
          model::RecordEvent{kPod, model::EventType::kWarning,
                             std::string(cycle::kFailedScheduling), ToString(reason)}},
         kNow);
  EXPECT_THAT(lines_, ElementsAre(" info waits pod=team/a uid=u-1 reason=TooFewGpus "
                                  "message=\"none is free\"\n"));
}

TEST_F(DecisionLog, WhatShouldNotBeIsAWarning) {
  LogRun(log_, {},
         {model::RecordEvent{kPod, model::EventType::kWarning,
                             std::string(cycle::kDoubleAllocation), "held twice"}},
         kNow);
  EXPECT_THAT(lines_, ElementsAre(" warning event pod=team/a uid=u-1 reason=DoubleAllocation "
                                  "message=\"held twice\"\n"));
}

TEST_F(DecisionLog, OnlyWritesThatFailAreTold) {
  WriteEnd end = AboutWrite(model::BindPod{.pod = kPod, .allocation = {}});
  end.outcome = model::WriteOutcome::kDone;
  LogWrite(log_, end);
  EXPECT_THAT(lines_, IsEmpty());
  end.outcome = model::WriteOutcome::kRefused;
  end.message = "403 Forbidden";
  LogWrite(log_, end);
  EXPECT_THAT(lines_, ElementsAre(" warning write failed pod=team/a uid=u-1 kind=bind "
                                  "outcome=refused why=\"403 Forbidden\"\n"));
}

TEST_F(DecisionLog, InJsonThePodIsAFieldOfItsOwn) {
  LogRun(LogIn(runtime::LogFormat::kJson), {.placed = 0, .without_place = 0, .ended = {Attempt()}},
         {}, kNow);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_THAT(lines_[0], HasSubstr(R"("pod":"team/a","uid":"u-1","node":"n1","gpus":"2,3")"));
  EXPECT_THAT(lines_[0], HasSubstr(R"("attempts":2)"));
}

}  // namespace
}  // namespace gs::scheduler
