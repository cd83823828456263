#include "programs/kubectl_gpu/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gs::kubectl_gpu {
namespace {

using testing::HasSubstr;

std::string Shown(const std::vector<std::string>& args) {
  const auto command = ParseCommandLine(args, "1.2.3");
  if (!command) return ToString(command.error());
  const auto* shown = std::get_if<ShowText>(&*command);
  return shown != nullptr ? shown->text : "a command";
}

TEST(CommandLine, ShowsVersionAndHelp) {
  EXPECT_EQ(Shown({"--version"}), "kubectl-gpu 1.2.3\n");
  EXPECT_THAT(Shown({"--help"}), HasSubstr("Examples:\n  kubectl-gpu status\n"));
  EXPECT_THAT(Shown({"choose", "--help"}), HasSubstr("--must-include IDS"));
  EXPECT_THAT(Shown({"choose", "--help"}), HasSubstr("Exit codes: 0 a set was chosen"));
}

TEST(CommandLine, PassesOptionsOn) {
  const auto command = ParseCommandLine({"choose",
                                         "--machine",
                                         "m.yaml",
                                         "--free=0,2-3",
                                         "--count",
                                         "2",
                                         "--policy",
                                         "preferIds",
                                         "--prefer-ids",
                                         "3,0",
                                         "--topology",
                                         "Required",
                                         "--min-bandwidth",
                                         "50",
                                         "--exclusivity",
                                         "Shared",
                                         "--shared",
                                         "1=2",
                                         "--share-cap",
                                         "3",
                                         "--must-include",
                                         "2",
                                         "-o",
                                         "json"},
                                        "1");
  ASSERT_TRUE(command.ok()) << command.error();
  const auto& options = std::get<ChooseOptions>(*command);
  EXPECT_EQ(options.machine_file, "m.yaml");
  EXPECT_EQ(options.free, (std::vector{GpuId(0), GpuId(2), GpuId(3)}));
  EXPECT_EQ(options.shared, (std::map<GpuId, std::int32_t>{{GpuId(1), 2}}));
  EXPECT_EQ(options.output, OutputFormat::kJson);
  const devices::Request expected{.count = 2,
                                  .policy = model::DevicePolicy::kPreferIds,
                                  .prefer_ids = {GpuId(3), GpuId(0)},
                                  .mode = model::TopologyMode::kRequired,
                                  .min_bandwidth_gbps = 50,
                                  .exclusivity = model::Exclusivity::kShared,
                                  .share_cap = 3,
                                  .must_include = {GpuId(2)}};
  EXPECT_EQ(options.request, expected);
}

TEST(CommandLine, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(Shown({}), "no command given; kubectl-gpu --help lists them");
  EXPECT_EQ(Shown({"chose"}),
            "The following argument was not expected: chose; see kubectl-gpu --help");
  EXPECT_EQ(Shown({"choose", "--machine", "m", "--count", "1", "--cuont", "2"}),
            "The following arguments were not expected: 2 --cuont; see kubectl-gpu choose --help");
}

TEST(CommandLine, RefusesMissingAndRepeatedOptions) {
  EXPECT_EQ(Shown({"choose", "--count", "1"}),
            "--machine is required; see kubectl-gpu choose --help");
  EXPECT_EQ(Shown({"choose", "--machine", "m"}),
            "--count is required; see kubectl-gpu choose --help");
  EXPECT_THAT(Shown({"choose", "--machine", "m", "--count"}), HasSubstr("--count"));
  EXPECT_THAT(Shown({"choose", "--machine", "m", "--count", "1", "--count", "2"}),
              HasSubstr("--count: At Most 1 required"));
}

TEST(CommandLine, RefusesValuesWithTheNameOfTheirOption) {
  EXPECT_EQ(Shown({"choose", "--machine", "m", "--count", "1", "-o", "xml"}),
            "--output: expected one of text, json, got \"xml\"");
}

const ClusterQuestion& Asked(const Result<Command>& command) {
  return std::get<ClusterQuestion>(*command);
}

TEST(CommandLine, AsksAClusterAsKubectlDoes) {
  const auto command = ParseCommandLine({"who", "node-a:0,2-3", "--kubeconfig", "k", "--context",
                                         "c", "-n", "team", "-o", "wide", "--scheduler", "mine"},
                                        "1");
  ASSERT_TRUE(command.ok()) << command.error();
  const ClusterQuestion& asked = Asked(command);
  EXPECT_EQ(asked.cluster.wish.kubeconfig, "k");
  EXPECT_EQ(asked.cluster.wish.context, "c");
  EXPECT_EQ(asked.cluster.ns, Namespace("team"));
  EXPECT_EQ(asked.cluster.scheduler, SchedulerName("mine"));
  EXPECT_EQ(asked.form, AnswerForm::kWide);
  const auto& who = std::get<WhoQuestion>(asked.what);
  EXPECT_EQ(who.name, "node-a");
  EXPECT_EQ(who.ids, (std::vector{GpuId(0), GpuId(2), GpuId(3)}));
}

TEST(CommandLine, KnowsEveryQuestion) {
  const auto stale = ParseCommandLine({"leases", "--stale"}, "1");
  EXPECT_TRUE(std::get<LeasesQuestion>(Asked(stale).what).is_only_stale);
  const auto claims = ParseCommandLine({"claims", "-A"}, "1");
  EXPECT_TRUE(Asked(claims).cluster.has_all_namespaces);
  const auto topology = ParseCommandLine({"topology", "n1", "-o", "yaml"}, "1");
  EXPECT_EQ(std::get<TopologyQuestion>(Asked(topology).what).node, NodeName("n1"));
  EXPECT_TRUE(
      std::holds_alternative<StatusQuestion>(Asked(ParseCommandLine({"status"}, "1")).what));
  EXPECT_TRUE(
      std::holds_alternative<VersionQuestion>(Asked(ParseCommandLine({"version"}, "1")).what));
}

TEST(CommandLine, RefusesQuestionsThatMeanNothing) {
  EXPECT_EQ(Shown({"status", "-o", "xml"}),
            "--output: expected one of table, wide, json, yaml, got \"xml\"");
  EXPECT_EQ(Shown({"explain"}), "name is required; see kubectl-gpu explain --help");
  EXPECT_THAT(Shown({"who", "n1:x"}), HasSubstr("n1:x: "));
  EXPECT_THAT(Shown({"status", "--share-cap", "0"}), HasSubstr("--share-cap: "));
  EXPECT_THAT(Shown({"map", "-f", "/no/such/file"}), HasSubstr("--filename: /no/such/file"));
}

}  // namespace
}  // namespace gs::kubectl_gpu
