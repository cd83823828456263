#include "programs/local/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gs::local {
namespace {

using testing::HasSubstr;

std::string Refusal(const std::vector<std::string>& args) {
  const auto command = ParseCommandLine(args, "1");
  return command ? "parsed" : ToString(command.error());
}

TEST(Options, UpHasDefaults) {
  const auto command = ParseCommandLine({"up"}, "1");
  ASSERT_TRUE(command.ok());
  const auto& up = std::get<UpOptions>(*command);
  EXPECT_EQ(up.name, "gpu-local");
  EXPECT_EQ(up.nodes, "");
  EXPECT_EQ(up.port, 0);
  EXPECT_FALSE(up.is_bare);
}

TEST(Options, UpTakesWhatIsGiven) {
  const auto command = ParseCommandLine({"up", "--nodes", "big:5", "--port", "6443", "--bare",
                                         "--name", "x", "--load", "d.yaml", "--kubeconfig", "k"},
                                        "1");
  ASSERT_TRUE(command.ok()) << ToString(command.error());
  const auto& up = std::get<UpOptions>(*command);
  EXPECT_EQ(up.nodes, "big:5");
  EXPECT_EQ(up.port, 6443);
  EXPECT_TRUE(up.is_bare);
  EXPECT_EQ(up.name, "x");
  EXPECT_EQ(up.load, "d.yaml");
  EXPECT_EQ(up.kubeconfig, "k");
}

TEST(Options, OthersNameTheirCluster) {
  EXPECT_EQ(std::get<StatusOptions>(*ParseCommandLine({"status"}, "1")).name, "gpu-local");
  EXPECT_EQ(std::get<DownOptions>(*ParseCommandLine({"down", "--name", "x"}, "1")).name, "x");
  EXPECT_EQ(std::get<DumpOptions>(*ParseCommandLine({"dump", "f"}, "1")).file, "f");
  EXPECT_EQ(std::get<DemoOptions>(*ParseCommandLine({"demo", "a", "b"}, "1")).files.size(), 2U);
}

TEST(Options, RefusalsNameTheOption) {
  EXPECT_THAT(Refusal({"up", "--port", "70000"}), HasSubstr("--port"));
  EXPECT_THAT(Refusal({"up", "--dashboard-port", "x"}), HasSubstr("--dashboard-port"));
  EXPECT_THAT(Refusal({"up", "--name", "a/b"}), HasSubstr("--name"));
  EXPECT_THAT(Refusal({"up", "--log-level", "loud"}), HasSubstr("--log-level"));
  EXPECT_THAT(Refusal({"up", "--nod"}), HasSubstr("--nod"));
  EXPECT_THAT(Refusal({}), HasSubstr("no command"));
  EXPECT_THAT(Refusal({"dump"}), HasSubstr("file"));
}

TEST(Options, ShowsHelpAndVersion) {
  EXPECT_EQ(std::get<ShowText>(*ParseCommandLine({"--version"}, "1.2")).text, "gpu-local 1.2\n");
  EXPECT_THAT(std::get<ShowText>(*ParseCommandLine({"up", "--help"}, "1")).text,
              HasSubstr("--kubeconfig"));
}

}  // namespace
}  // namespace gs::local
