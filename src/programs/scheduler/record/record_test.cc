#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/cycle/cycle.h"
#include "programs/scheduler/record/recorder.h"
#include "programs/scheduler/record/replay.h"

namespace gs::scheduler {
namespace {

using ::testing::HasSubstr;

constexpr TimePoint kStart{std::chrono::seconds(1'700'000'000)};

model::Pod WaitingPod(const std::string& name) {
  model::Pod pod;
  pod.ref = {Namespace("ml"), PodName(name), PodUid("uid-" + name)};
  pod.resource_version = ResourceVersion("6");
  pod.scheduler = SchedulerName("s");
  pod.created = kStart;
  pod.requests.gpus = 1;
  return pod;
}

// A leader with a complete view and one node without GPUs, so that pods must wait.
std::vector<model::Event> FirstEvents() {
  std::vector<model::Event> events{model::NodeSeen{
      {.name = NodeName("node-a"), .allocatable = {}, .allocatable_pods = 10, .machine = {}}}};
  for (const model::Kind kind : model::kAllKinds) {
    events.emplace_back(model::ViewReached{kind, ResourceVersion("5")});
  }
  events.emplace_back(model::LeadershipWon{.transitions = 1, .settled = ResourceVersion("4")});
  return events;
}

class Record : public ::testing::Test {
 protected:
  Record() {
    std::filesystem::create_directories(folder_);
    header_.program_version = "1.2.3";
    header_.options.scheduler = SchedulerName("s");
    header_.options.leader = "me";
  }
  ~Record() override { std::filesystem::remove_all(folder_); }

  RecorderOptions Options(std::int64_t max_bytes = 1 << 20) const {
    return {.file = file_, .max_bytes = max_bytes, .kept_files = 2};
  }
  Recorder Start(std::int64_t max_bytes = 1 << 20) {
    auto recorder = Recorder::Start(Options(max_bytes), header_,
                                    [this](const Error& why) { ended_ = ToString(why); });
    EXPECT_TRUE(recorder) << recorder.error();
    return *std::move(recorder);
  }
  // A scheduler that decides twice.
  void RunAndRecord(Recorder& recorder) {
    cycle::Cycle cycle(header_.options);
    const auto run = [&](std::vector<model::Event> events, TimePoint at) {
      recorder.Record(at, false, events, cycle.RunOnce(events, at));
    };
    run(FirstEvents(), kStart);
    run({model::PodSeen{WaitingPod("a")}}, kStart + std::chrono::seconds(1));
    run({model::PodSeen{WaitingPod("b")}}, kStart + std::chrono::seconds(2));
  }
  std::string Text(const std::filesystem::path& path) const {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  Result<ReplayResult> ReplayText(const std::string& text, ReplayOptions options = {}) const {
    options.file = "x.rec";
    std::istringstream in(text);
    return Replay(in, options);
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      (::testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(getpid()));
  const std::filesystem::path file_ = folder_ / "scheduler.rec";
  recording::Header header_;
  std::string ended_;
};

TEST_F(Record, WhatWasRecordedRunsAgainTheSameWay) {
  auto recorder = Start();
  RunAndRecord(recorder);
  const auto result = ReplayText(Text(file_));
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->difference, "");
  EXPECT_EQ(result->runs, 3);
  EXPECT_GT(result->commands, 0);
  EXPECT_THAT(ToString(*result), HasSubstr("identical"));
}

TEST_F(Record, AnotherDecisionIsFound) {
  auto recorder = Start();
  RunAndRecord(recorder);
  std::string text = Text(file_);
  // As if it had asked for none.
  const auto gpus = text.find("\"gpus\":1");
  ASSERT_NE(gpus, std::string::npos);
  text.replace(gpus, 8, "\"gpus\":0");
  const auto result = ReplayText(text);
  ASSERT_TRUE(result) << result.error();
  EXPECT_NE(result->difference, "");
  EXPECT_THAT(ToString(*result), HasSubstr("DIFFERENT: in run"));
}

TEST_F(Record, APodIsExplainedAtATime) {
  auto recorder = Start();
  RunAndRecord(recorder);
  const auto result = ReplayText(
      Text(file_), {.file = {}, .until = kStart + std::chrono::seconds(1), .explain = "ml/a"});
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->runs, 2);
  EXPECT_THAT(result->explanation, HasSubstr("ml/a is waiting"));
  const auto later = ReplayText(
      Text(file_), {.file = {}, .until = kStart + std::chrono::seconds(1), .explain = "ml/b"});
  ASSERT_FALSE(later);
  EXPECT_THAT(ToString(later.error()), HasSubstr("there is no pod ml/b"));
}

TEST_F(Record, ALineThatIsCutOffEndsTheReplayThere) {
  auto recorder = Start();
  RunAndRecord(recorder);
  std::string text = Text(file_);
  text.resize(text.size() - 10);
  const auto result = ReplayText(text);
  ASSERT_TRUE(result) << result.error();
  EXPECT_TRUE(result->is_cut);
  EXPECT_EQ(result->runs, 2);
}

TEST_F(Record, AForeignFileIsRefusedByName) {
  const auto result = ReplayText("hello\n");
  ASSERT_FALSE(result);
  EXPECT_THAT(ToString(result.error()), HasSubstr("x.rec"));
  auto recorder = Start();
  RunAndRecord(recorder);
  const auto broken = ReplayText(Text(file_) + "nonsense\n");
  ASSERT_FALSE(broken);
  EXPECT_THAT(ToString(broken.error()), HasSubstr("line 5"));
}

TEST_F(Record, EndsAtItsLimitWithWholeLines) {
  auto recorder = Start(1500);
  RunAndRecord(recorder);
  EXPECT_THAT(ended_, HasSubstr("limit of 1500 bytes"));
  EXPECT_LE(std::filesystem::file_size(file_), 1500U);
  const auto result = ReplayText(Text(file_));
  ASSERT_TRUE(result) << result.error();
  EXPECT_FALSE(result->is_cut);
}

TEST_F(Record, EarlierLivesAreKept) {
  for (int life = 1; life <= 4; ++life) {
    header_.program_version = std::to_string(life);
    (void)Start();
  }
  EXPECT_THAT(Text(file_), HasSubstr(R"("version":"4")"));
  EXPECT_THAT(Text(file_.string() + ".1"), HasSubstr(R"("version":"3")"));
  EXPECT_THAT(Text(file_.string() + ".2"), HasSubstr(R"("version":"2")"));
  EXPECT_FALSE(std::filesystem::exists(file_.string() + ".3"));
}

TEST_F(Record, AFolderThatIsNotThereIsRefused) {
  const auto recorder =
      Recorder::Start({.file = folder_ / "no" / "x", .max_bytes = 1000, .kept_files = 0}, header_,
                      [](const Error&) {});
  ASSERT_FALSE(recorder);
  EXPECT_THAT(ToString(recorder.error()), HasSubstr("name a file in a folder that exists"));
}

}  // namespace
}  // namespace gs::scheduler
