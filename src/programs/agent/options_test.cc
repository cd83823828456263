#include "programs/agent/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace gs::agent {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

Result<std::variant<ShowText, NodeOptions>> Parse(std::vector<std::string> args) {
  unsetenv("NODE_NAME");
  unsetenv("POD_UID");
  return ParseCommandLine(args, "1.2.3");
}

std::string RefusalOf(std::vector<std::string> args) {
  args.insert(args.begin(), "--node=node-a");
  const auto parsed = Parse(std::move(args));
  return parsed ? "" : ToString(parsed.error());
}

TEST(AgentOptions, TheNodeIsAllThatIsNeeded) {
  const auto parsed = Parse({"--node", "node-a"});
  ASSERT_TRUE(parsed.ok()) << parsed.error();
  const auto& options = std::get<NodeOptions>(*parsed);
  EXPECT_EQ(options.node, NodeName("node-a"));
  EXPECT_EQ(options.devices.machine_file, "");
  EXPECT_EQ(options.pod_resources, "/var/lib/kubelet/pod-resources/kubelet.sock");
  ASSERT_TRUE(options.program.status.has_value());
  EXPECT_EQ(options.program.status->port, 8081);
  EXPECT_EQ(options.program.read_every, seconds(10));
  EXPECT_EQ(options.program.times.use_delay, seconds(10));
  EXPECT_EQ(options.program.times.confirm_every, minutes(5));
  EXPECT_EQ(options.program.health.quiet, minutes(5));
}

TEST(AgentOptions, TheNodeMayComeFromTheEnvironment) {
  setenv("NODE_NAME", "node-b", 1);
  setenv("POD_UID", "uid-1", 1);
  const auto parsed = ParseCommandLine({}, "1.2.3");
  unsetenv("NODE_NAME");
  unsetenv("POD_UID");
  ASSERT_TRUE(parsed.ok()) << parsed.error();
  EXPECT_EQ(std::get<NodeOptions>(*parsed).node, NodeName("node-b"));
  EXPECT_EQ(std::get<NodeOptions>(*parsed).program.instance, "uid-1");
}

TEST(AgentOptions, TheKubeletNeedNotBeAsked) {
  const auto parsed = Parse({"--node=a", "--pod-resources=off", "--machine-file=m.yaml"});
  ASSERT_TRUE(parsed.ok()) << parsed.error();
  EXPECT_EQ(std::get<NodeOptions>(*parsed).pod_resources, "");
  EXPECT_EQ(std::get<NodeOptions>(*parsed).devices.machine_file, "m.yaml");
}

TEST(AgentOptions, WhatIsWrongIsRefusedWithItsFlag) {
  EXPECT_THAT(ToString(Parse({}).error()), HasSubstr("--node: is missing"));
  EXPECT_THAT(ToString(Parse({"--node=Not A Node"}).error()), HasSubstr("--node"));
  EXPECT_THAT(RefusalOf({"--read-interval=fast"}), HasSubstr("--read-interval"));
  EXPECT_THAT(RefusalOf({"--read-interval=1ms"}), HasSubstr("must be from 100ms to 24h"));
  EXPECT_THAT(RefusalOf({"--confirm-interval=0s"}), HasSubstr("--confirm-interval"));
  EXPECT_THAT(RefusalOf({"--listen=8081"}), HasSubstr("--listen"));
  EXPECT_THAT(RefusalOf({"--log-level=loud"}), HasSubstr("--log-level"));
  EXPECT_THAT(RefusalOf({"--pod-resources="}), HasSubstr("--pod-resources"));
  EXPECT_THAT(RefusalOf({"--sysfs="}), HasSubstr("--sysfs"));
  EXPECT_THAT(RefusalOf({"--gpus=4"}), HasSubstr("--gpus"));
}

TEST(AgentOptions, VersionAndHelpAreShown) {
  const auto version = Parse({"--version"});
  ASSERT_TRUE(version.ok());
  EXPECT_EQ(std::get<ShowText>(*version).text, "gpu-scheduler-agent 1.2.3\n");
  const auto help = Parse({"--help"});
  ASSERT_TRUE(help.ok());
  EXPECT_THAT(std::get<ShowText>(*help).text, HasSubstr("--pod-resources"));
}

}  // namespace
}  // namespace gs::agent
