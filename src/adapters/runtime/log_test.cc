#include "adapters/runtime/log.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "adapters/runtime/log_text.h"

namespace gs::runtime {
namespace {

// Collects lines without their time stamps, which differ from run to run.
struct Lines {
  LogOptions Options(LogFormat format, LogLevel level = LogLevel::kInfo) {
    return {.level = level, .format = format, .write = [this](std::string_view line) {
              all.emplace_back(line);
            }};
  }
  [[nodiscard]] std::string WithoutTime(std::size_t index, std::size_t from) const {
    return all.at(index).substr(from);
  }
  std::vector<std::string> all;
};

constexpr std::size_t kTextStart = std::string_view("2024-05-01T12:00:00.000000Z ").size();
constexpr std::size_t kJsonStart =
    std::string_view(R"({"time":"2024-05-01T12:00:00.000000Z",)").size();

TEST(Logger, WritesTextWithFields) {
  Lines lines;
  const Logger log(lines.Options(LogFormat::kText));
  log.Info("bound", {{"pod", "team-a/x"}, {"gpus", 4}, {"shared", false}});
  ASSERT_EQ(lines.all.size(), 1U);
  EXPECT_EQ(lines.WithoutTime(0, kTextStart), "info bound pod=team-a/x gpus=4 shared=false\n");
  EXPECT_EQ(lines.all[0][kTextStart - 2], 'Z');
}

TEST(Logger, WritesJsonLines) {
  Lines lines;
  const Logger log(lines.Options(LogFormat::kJson));
  log.Warning("say \"no\"", {{"why", "line\nbreak"}, {"count", -3}, {"done", true}});
  ASSERT_EQ(lines.all.size(), 1U);
  EXPECT_EQ(
      lines.WithoutTime(0, kJsonStart),
      R"("level":"warning","message":"say \"no\"","why":"line\nbreak","count":-3,"done":true})"
      "\n");
}

TEST(Logger, DropsWhatIsBelowTheLevel) {
  Lines lines;
  const Logger log(lines.Options(LogFormat::kText, LogLevel::kWarning));
  log.Debug("no");
  log.Info("no");
  log.Warning("yes");
  log.Error("yes");
  EXPECT_EQ(lines.all.size(), 2U);
  EXPECT_TRUE(log.IsOn(LogLevel::kError));
  EXPECT_FALSE(log.IsOn(LogLevel::kInfo));
}

TEST(Logger, WithAddsFieldsToEveryLineAndLeavesTheOriginalAlone) {
  Lines lines;
  const Logger log(lines.Options(LogFormat::kText));
  const Logger leader = log.With({{"leader", "a"}});
  leader.Info("one", {{"n", 1}});
  log.Info("two");
  EXPECT_EQ(lines.WithoutTime(0, kTextStart), "info one leader=a n=1\n");
  EXPECT_EQ(lines.WithoutTime(1, kTextStart), "info two\n");
}

TEST(Logger, TakesBracesAndPercentSignsLiterally) {
  Lines lines;
  const Logger log(lines.Options(LogFormat::kText));
  log.Info("{} %v {0:>9}");
  EXPECT_EQ(lines.WithoutTime(0, kTextStart), "info {} %v {0:>9}\n");
}

TEST(Logger, LinesOfManyThreadsAreNeverMixed) {
  Lines lines;
  const Logger log(lines.Options(LogFormat::kText));
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&log] {
        for (int n = 0; n < 100; ++n) log.Info("same", {{"a", "b"}});
      });
    }
  }
  ASSERT_EQ(lines.all.size(), 400U);
  for (std::size_t i = 0; i < lines.all.size(); ++i) {
    EXPECT_EQ(lines.WithoutTime(i, kTextStart), "info same a=b\n");
  }
}

TEST(LogText, QuotesWhatCouldBeMisread) {
  const auto text = [](std::string_view value) {
    return PrintField(LogFormat::kText, LogField("k", value));
  };
  EXPECT_EQ(text("a/b"), " k=a/b");
  EXPECT_EQ(text(""), " k=\"\"");
  EXPECT_EQ(text("a b"), " k=\"a b\"");
  EXPECT_EQ(text("a=b"), " k=\"a=b\"");
  EXPECT_EQ(text("a\nb"), " k=\"a\\nb\"");
  EXPECT_EQ(PrintMessage(LogFormat::kText, "two\nlines"), "\"two\\nlines\"");
}

TEST(LogText, JsonStaysJsonWhateverTheBytes) {
  const auto json = [](std::string_view value) {
    return PrintField(LogFormat::kJson, LogField("k", value));
  };
  EXPECT_EQ(json("gr\xC3\xBC\xC3\x9F"), ",\"k\":\"gr\xC3\xBC\xC3\x9F\"");
  EXPECT_EQ(json("\xFF\xC3"), R"(,"k":"\u00ff\u00c3")");
  EXPECT_EQ(json("\xC0\xAF"), R"(,"k":"\u00c0\u00af")");
  EXPECT_EQ(json("\xED\xA0\x80"), R"(,"k":"\u00ed\u00a0\u0080")");
  EXPECT_EQ(json(std::string_view("\0\x1F\\", 3)), R"(,"k":"\u0000\u001f\\")");
}

TEST(LogLevel, IsReadFromItsName) {
  EXPECT_EQ(ParseLogLevel("Warning"), LogLevel::kWarning);
  EXPECT_EQ(ParseLogLevel("loud"), std::nullopt);
  EXPECT_EQ(ToString(LogLevel::kError), "error");
}

}  // namespace
}  // namespace gs::runtime
