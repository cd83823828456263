#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "programs/check/options.h"
#include "programs/check/report.h"
#include "programs/check/reporter.h"

namespace gs::check {
namespace {

Environment With(std::map<std::string, std::string> variables) {
  return [variables](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(std::string(name));
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

Result<Command> Parse(std::vector<std::string> args,
                      std::map<std::string, std::string> variables = {}) {
  return ParseCommandLine(args, With(std::move(variables)), "1.2.3");
}

TEST(ReportLine, NamesTheGpusOrSaysWhyThereAreNone) {
  EXPECT_EQ(ReportLine("node1", With({{"CUDA_VISIBLE_DEVICES", "0,1"}})),
            "Node: node1, CUDA_VISIBLE_DEVICES: 0,1");
  EXPECT_EQ(ReportLine("node1", With({{"CUDA_VISIBLE_DEVICES", ""}})),
            "Node: node1, CUDA_VISIBLE_DEVICES: empty");
  EXPECT_EQ(ReportLine("node1", With({})), "Node: node1, CUDA_VISIBLE_DEVICES: not-set");
}

TEST(CheckOptions, ComeFromTheEnvironmentAndFlagsWin) {
  auto command = Parse({"check"}, {{"NODE_NAME", "node1"}, {"LOG_INTERVAL", "3"}});
  ASSERT_TRUE(command.ok()) << command.error();
  EXPECT_EQ(std::get<CheckOptions>(*command).node, "node1");
  EXPECT_EQ(std::get<CheckOptions>(*command).interval, std::chrono::seconds(3));

  command = Parse({"check", "--node", "node2", "--interval", "1m30s", "--once"},
                  {{"NODE_NAME", "node1"}, {"LOG_INTERVAL", "3"}});
  ASSERT_TRUE(command.ok()) << command.error();
  EXPECT_EQ(std::get<CheckOptions>(*command).node, "node2");
  EXPECT_EQ(std::get<CheckOptions>(*command).interval, std::chrono::seconds(90));
  EXPECT_TRUE(std::get<CheckOptions>(*command).is_once);
}

TEST(CheckOptions, HaveDefaults) {
  const auto command = Parse({"check"});
  ASSERT_TRUE(command.ok()) << command.error();
  EXPECT_EQ(std::get<CheckOptions>(*command).interval, std::chrono::seconds(10));
  EXPECT_EQ(std::get<CheckOptions>(*command).node, "unknown");
}

TEST(CheckOptions, AnIntervalThatIsNoneIsRefused) {
  for (const auto* bad : {"0", "-1", "soon", "", "25h"}) {
    EXPECT_FALSE(Parse({"check"}, {{"LOG_INTERVAL", bad}}).ok()) << bad;
  }
}

TEST(CheckOptions, ListenOnlyWhereTheyAreTold) {
  EXPECT_FALSE(std::get<CheckOptions>(*Parse({"check"})).status.has_value());
  const auto command = Parse({"check", "--verify", "--listen", "127.0.0.1:8082"});
  ASSERT_TRUE(command.ok()) << command.error();
  EXPECT_TRUE(std::get<CheckOptions>(*command).is_verifying);
  EXPECT_FALSE(std::get<CheckOptions>(*command).needs_devices);
  EXPECT_EQ(std::get<CheckOptions>(*command).status->port, 8082);
  EXPECT_FALSE(Parse({"check", "--listen", "8082"}).ok());
}

TEST(CheckOptions, HelpAndVersionAreShown) {
  const auto version = Parse({"check", "--version"});
  ASSERT_TRUE(version.ok());
  EXPECT_EQ(std::get<ShowText>(*version).text, "gpu-scheduler-check 1.2.3\n");
  const auto help = Parse({"check", "--help"});
  ASSERT_TRUE(help.ok());
  EXPECT_NE(std::get<ShowText>(*help).text.find("LOG_INTERVAL"), std::string::npos);
  EXPECT_FALSE(Parse({"check", "--loud"}).ok());
}

TEST(CheckOptions, EnvIsACommandAndAName) {
  EXPECT_TRUE(std::holds_alternative<ShowEnvironment>(*Parse({"/bin/check", "env"})));
  EXPECT_TRUE(std::holds_alternative<ShowEnvironment>(*Parse({"/usr/bin/env"})));
  EXPECT_FALSE(Parse({"/usr/bin/env", "A=b"}).ok());
}

TEST(Reporter, PrintsAgainAndAgainUntilStopped) {
  Reporter reporter;
  int lines = 0;
  const bool is_done = reporter.Run(std::chrono::milliseconds(1), [&] {
    if (++lines == 3) reporter.Stop();
    return true;
  });
  EXPECT_TRUE(is_done);
  EXPECT_EQ(lines, 3);
}

TEST(Reporter, EndsWhenNobodyCanReadIt) {
  Reporter reporter;
  EXPECT_FALSE(reporter.Run(std::chrono::hours(1), [] { return false; }));
}

TEST(Reporter, StopsInTheMiddleOfAnInterval) {
  Reporter reporter;
  std::jthread other;
  const bool is_done = reporter.Run(std::chrono::hours(1), [&] {
    other = std::jthread([&] { reporter.Stop(); });
    return true;
  });
  EXPECT_TRUE(is_done);
}

}  // namespace
}  // namespace gs::check
