#include "programs/kubectl_gpu/choose_options.h"

#include <gtest/gtest.h>

#include <string>

namespace gs::kubectl_gpu {
namespace {

// The least that can be asked.
ChooseArguments Asking(std::string count = "2") {
  ChooseArguments args;
  args.machine = "m.yaml";
  args.count = std::move(count);
  return args;
}

std::string RefusalOf(const ChooseArguments& args) {
  const auto options = ReadChooseOptions(args);
  return options ? "accepted" : ToString(options.error());
}

// RefusalOf with one option set on top of the least.
std::string RefusalWith(std::optional<std::string> ChooseArguments::*option, std::string word) {
  ChooseArguments args = Asking();
  args.*option = std::move(word);
  return RefusalOf(args);
}

TEST(ChooseOptions, HaveTheDefaultsOfAClaim) {
  const auto options = ReadChooseOptions(Asking());
  ASSERT_TRUE(options.ok()) << options.error();
  EXPECT_EQ(options->request, devices::Request{.count = 2});
  EXPECT_EQ(options->free, std::nullopt);
  EXPECT_TRUE(options->shared.empty());
  EXPECT_EQ(options->output, OutputFormat::kText);
}

TEST(ChooseOptions, ReadWordsWhateverTheirCase) {
  ChooseArguments args = Asking();
  args.policy = "SPREAD";
  args.topology = "ignore";
  args.exclusivity = "shared";
  const auto options = ReadChooseOptions(args);
  ASSERT_TRUE(options.ok()) << options.error();
  EXPECT_EQ(options->request.policy, model::DevicePolicy::kSpread);
  EXPECT_EQ(options->request.mode, model::TopologyMode::kIgnore);
  EXPECT_EQ(options->request.exclusivity, model::Exclusivity::kShared);
}

TEST(ChooseOptions, FreeMayBeNone) {
  ChooseArguments args = Asking();
  args.free = "none";
  EXPECT_EQ(ReadChooseOptions(args)->free, std::vector<GpuId>());
}

TEST(ChooseOptions, RefuseCountsThatAreNone) {
  for (const auto* count : {"0", "-1", "x", "", "1.5", "65537", "99999999999999999999"}) {
    EXPECT_EQ(RefusalOf(Asking(count)).substr(0, 9), "--count: ") << count;
  }
}

TEST(ChooseOptions, RefuseWordsThatMeanNothing) {
  EXPECT_EQ(RefusalWith(&ChooseArguments::policy, "near"),
            "--policy: expected one of contiguous, spread, preferIds, got \"near\"");
  EXPECT_EQ(RefusalWith(&ChooseArguments::topology, "Maybe"),
            "--topology: expected one of Preferred, Required, Ignore, got \"Maybe\"");
  EXPECT_EQ(RefusalWith(&ChooseArguments::exclusivity, "MIG"),
            "--exclusivity: expected one of Exclusive, Shared, got \"MIG\"");
  EXPECT_EQ(RefusalWith(&ChooseArguments::free, "0,0").substr(0, 28),
            "--free: line 1, column 3: GP");
  EXPECT_EQ(RefusalWith(&ChooseArguments::must_include, "a").substr(0, 16), "--must-include: ");
  EXPECT_EQ(RefusalWith(&ChooseArguments::min_bandwidth, "0").substr(0, 17), "--min-bandwidth: ");
}

TEST(ChooseOptions, RefuseSharersThatAreNotIdsWithPods) {
  EXPECT_EQ(RefusalWith(&ChooseArguments::shared, "1=2,3=1"), "accepted");
  EXPECT_EQ(RefusalWith(&ChooseArguments::shared, "1:2"),
            "--shared: line 1, column 2: expected '=' and a number of pods, found ':'");
  EXPECT_EQ(RefusalWith(&ChooseArguments::shared, "1=2,1=3"),
            "--shared: line 1, column 5: GPU 1 is given twice");
  EXPECT_EQ(RefusalWith(&ChooseArguments::shared, "1=2;"),
            "--shared: line 1, column 4: expected ',' or the end, found ';'");
  for (const auto* word : {"", "1", "1=", "1=0", "=1", "1=2,", "70000=1"}) {
    EXPECT_EQ(RefusalWith(&ChooseArguments::shared, word).substr(0, 10), "--shared: ") << word;
  }
}

TEST(ChooseOptions, RefuseOptionsThatContradictEachOther) {
  EXPECT_EQ(RefusalWith(&ChooseArguments::prefer_ids, "1"),
            "--prefer-ids: needs --policy preferIds");
  EXPECT_EQ(RefusalWith(&ChooseArguments::policy, "preferIds"),
            "--policy: preferIds needs --prefer-ids");
  EXPECT_EQ(RefusalWith(&ChooseArguments::share_cap, "2"),
            "--share-cap: needs --exclusivity Shared");
  ChooseArguments ignoring = Asking();
  ignoring.topology = "Ignore";
  ignoring.min_bandwidth = "50";
  EXPECT_EQ(RefusalOf(ignoring), "--min-bandwidth: needs --topology Required or Preferred");
  ChooseArguments overlapping = Asking();
  overlapping.free = "0-3";
  overlapping.shared = "3=1";
  EXPECT_EQ(RefusalOf(overlapping),
            "--shared: names a GPU that --free names too; a shared GPU is not free");
}

}  // namespace
}  // namespace gs::kubectl_gpu
