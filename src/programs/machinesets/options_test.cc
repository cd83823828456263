#include "programs/machinesets/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gs::machinesets {
namespace {

using ::testing::HasSubstr;

Result<Options> OptionsOf(const std::vector<std::string>& args) {
  auto command = ParseCommandLine(args, "1.0");
  if (!command) return std::move(command).error();
  return std::get<Options>(*std::move(command));
}

std::string RefusalOf(const std::vector<std::string>& args) {
  const auto options = OptionsOf(args);
  return options ? "read" : ToString(options.error());
}

TEST(MachineSetOptions, AreWhatTheJobRunsByDefault) {
  const auto options = OptionsOf({"--settings", "/settings/settings.yaml"});
  ASSERT_TRUE(options.ok()) << options.error();
  EXPECT_EQ(options->command, Command::kGenerate);
  EXPECT_EQ(options->settings_file, "/settings/settings.yaml");
  EXPECT_FALSE(options->is_dry_run);
  EXPECT_FALSE(options->is_pruning);
  EXPECT_EQ(options->output, Output::kLog);
}

TEST(MachineSetOptions, MirrorTheSettings) {
  const auto options =
      OptionsOf({"generate",      "--type", "g6.xlarge=3", "--type",       "p5.48xlarge", "--zones",
                 "a,b",           "--spot", "--max-price", "2.5",          "--autoscale", "0:4",
                 "--disk",        "300",    "--taint",     "a:NoSchedule", "--label",     "team=ml",
                 "--accelerator", "",       "--dry-run",   "--prune",      "-o",          "table"});
  ASSERT_TRUE(options.ok()) << options.error();
  const auto settings = SettingsOf(*options);
  ASSERT_TRUE(settings.ok()) << settings.error();
  ASSERT_EQ(settings->types.size(), 2U);
  EXPECT_EQ(settings->types[0].replicas, 3);
  EXPECT_FALSE(settings->types[1].replicas);
  for (const TypeWish& wish : settings->types) {
    EXPECT_EQ(wish.zones.listed, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(wish.spot, Spot{"2.5"});
    EXPECT_EQ(wish.autoscale, (Autoscale{0, 4}));
    EXPECT_EQ(wish.disk_gib, 300);
  }
  EXPECT_EQ(ToString(settings->taints->front()), "a:NoSchedule");
  EXPECT_EQ(settings->labels->at("team"), "ml");
  EXPECT_EQ(settings->accelerator, "");
  EXPECT_TRUE(options->is_dry_run && options->is_pruning);
  EXPECT_EQ(options->output, Output::kTable);
}

TEST(MachineSetOptions, RefuseWhatCannotBe) {
  EXPECT_THAT(RefusalOf({"make"}), HasSubstr("generate, verify, status, types"));
  EXPECT_THAT(RefusalOf({"--output", "xml"}), HasSubstr("log, yaml, table"));
  EXPECT_THAT(RefusalOf({"--type", "a=x"}), HasSubstr("--type"));
  EXPECT_THAT(RefusalOf({"--max-price", "1"}), HasSubstr("goes with --spot"));
  EXPECT_THAT(RefusalOf({"--autoscale", "4"}), HasSubstr("write min:max"));
  EXPECT_THAT(RefusalOf({"--disk", "0"}), HasSubstr("--disk"));
  EXPECT_THAT(RefusalOf({"--taint", "x"}), HasSubstr("is no taint"));
  EXPECT_THAT(RefusalOf({"--label", "-=x"}), HasSubstr("--label"));
  EXPECT_THAT(RefusalOf({"status", "--offline", "f"}), HasSubstr("goes with generate only"));
  EXPECT_THAT(RefusalOf({"--nonsense"}), HasSubstr("nonsense"));
}

}  // namespace
}  // namespace gs::machinesets
