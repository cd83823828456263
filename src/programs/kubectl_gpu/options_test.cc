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
  EXPECT_THAT(Shown({"--help"}), HasSubstr("Example:\n  kubectl-gpu choose --machine"));
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
            "The following argument was not expected: chose; see kubectl-gpu choose --help");
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

}  // namespace
}  // namespace gs::kubectl_gpu
