#include "tests/crash/lab/lab_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "programs/scheduler/options.h"

namespace gs::crash {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Refusal(const std::vector<std::string>& args) {
  const auto options = ParseLabOptions(args);
  EXPECT_FALSE(options.ok());
  return options ? "" : ToString(options.error());
}

TEST(LabOptions, WithoutAnyItIsTheScheduler) {
  const auto options = ParseLabOptions({"--scheduler-name", "mine", "--help"});
  ASSERT_TRUE(options.ok()) << options.error();
  EXPECT_THAT(options->others, ElementsAre("--scheduler-name", "mine", "--help"));
  EXPECT_TRUE(options->traps.empty());
  EXPECT_EQ(options->rules, commit::Rules());
  EXPECT_EQ(options->fence_rules, kube::FenceRules());
}

TEST(LabOptions, RulesAreSwitchedOffByName) {
  const auto options =
      ParseLabOptions({"--without", "TOUCH", "--kubeconfig", "k", "--without", "LISTED"});
  ASSERT_TRUE(options.ok()) << options.error();
  EXPECT_THAT(options->others, ElementsAre("--kubeconfig", "k"));
  EXPECT_FALSE(options->rules.touch);
  EXPECT_FALSE(options->rules.listed);
  EXPECT_TRUE(options->rules.rvpre);
}

TEST(LabOptions, EveryRuleHasItsName) {
  const auto options = ParseLabOptions(
      {"--without", "LISTED",    "--without", "RVPRE",       "--without", "TOUCH",
       "--without", "SETTLED",   "--without", "FRESH",       "--without", "RESUME",
       "--without", "TOUCHALL",  "--without", "TOUCHLATE",   "--without", "DEADTOUCH",
       "--without", "LOOKAGAIN", "--without", "MARKSETTLED", "--without", "DEADSETTLED",
       "--without", "UID",       "--without", "SEEOTHERS",   "--without", "UNCHANGED",
       "--without", "MERGED"});
  ASSERT_TRUE(options.ok()) << options.error();
  EXPECT_EQ(options->rules, (commit::Rules{.listed = false,
                                           .rvpre = false,
                                           .touch = false,
                                           .settled = false,
                                           .fresh = false,
                                           .look_again = false,
                                           .resume = false,
                                           .touch_all = false,
                                           .touch_late = false,
                                           .mark_settled = false,
                                           .dead_touch = false,
                                           .dead_settled = false,
                                           .uid = false}));
  EXPECT_EQ(options->fence_rules,
            (kube::FenceRules{.see_others = false, .unchanged = false, .merged = false}));
}

TEST(LabOptions, APointIsMetTheFirstTimeOrAnother) {
  const auto options = ParseLabOptions(
      {"--stop-at", "binding-write", "--kill-at=touch-write:3", "--log-level=info"});
  ASSERT_TRUE(options.ok()) << options.error();
  ASSERT_EQ(options->traps.size(), 2U);
  EXPECT_EQ(options->traps[0].fate, Fate::kStop);
  EXPECT_EQ(options->traps[0].point, Point::kBindingWrite);
  EXPECT_EQ(options->traps[0].pass, 1);
  EXPECT_EQ(options->traps[1].fate, Fate::kKill);
  EXPECT_EQ(options->traps[1].point, Point::kTouchWrite);
  EXPECT_EQ(options->traps[1].pass, 3);
  EXPECT_THAT(options->others, ElementsAre("--log-level=info"));
}

TEST(LabOptions, ARefusalNamesWhatThereIs) {
  EXPECT_THAT(Refusal({"--without", "HOPE"}), HasSubstr("TOUCHALL"));
  EXPECT_THAT(Refusal({"--stop-at", "nowhere"}), HasSubstr("binding-answer"));
  EXPECT_THAT(Refusal({"--kill-at", "list-write:0"}), HasSubstr("--kill-at"));
  EXPECT_THAT(LabHelp(), HasSubstr("--without"));
}

TEST(LabOptions, TheProductHasNoneOfThem) {
  for (const char* flag : {"--without", "--stop-at", "--kill-at"}) {
    const auto parsed = scheduler::ParseCommandLine({flag, "TOUCH"}, "1");
    ASSERT_FALSE(parsed.ok()) << flag;
    EXPECT_THAT(ToString(parsed.error()), HasSubstr(flag));
  }
}

TEST(LabOptions, DeadReleasesMayBeForgottenEarlier) {
  const auto options = ParseLabOptions({"--forget-after", "6s"});
  ASSERT_TRUE(options.ok()) << options.error();
  EXPECT_EQ(options->forget_after, std::chrono::seconds(6));
  EXPECT_THAT(Refusal({"--forget-after", "soon"}), HasSubstr("--forget-after"));
}

}  // namespace
}  // namespace gs::crash
