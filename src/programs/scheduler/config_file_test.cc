#include "programs/scheduler/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "programs/scheduler/options.h"

namespace gs::scheduler {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kHeader = "apiVersion: gpu-scheduler/v1\nkind: SchedulerConfig\n";

WrittenSettings Read(const std::string& text) {
  WrittenSettings settings = DefaultSettings();
  const auto done = ReadConfigText(text, "c.yaml", settings);
  EXPECT_TRUE(done.ok()) << done.error();
  return settings;
}

// Of the text, or of its values.
std::string Refusal(const std::string& text) {
  WrittenSettings settings = DefaultSettings();
  const auto done = ReadConfigText(text, "c.yaml", settings);
  if (!done) return ToString(done.error());
  const auto options = CheckSettings(settings);
  return options ? "" : ToString(options.error());
}

TEST(ConfigFile, SetsWhatItNamesAndLeavesTheRest) {
  const auto settings =
      Read(std::string(kHeader) + "scheduler: {name: mine, sharedPodsPerGpu: 2}\nlog:\n  level:\n");
  EXPECT_EQ(settings.at("scheduler.name").text, "mine");
  EXPECT_EQ(settings.at("scheduler.sharedPodsPerGpu").text, "2");
  EXPECT_EQ(settings.at("log.level").text, "info");
}

TEST(ConfigFile, HasEverySettingUnderItsPath) {
  EXPECT_EQ(Refusal(PrintConfig(DefaultSettings())), "");
  for (const Setting& setting : AllSettings()) {
    WrittenSettings settings = DefaultSettings();
    settings.at(setting.path).text = setting.form == SettingForm::kNumber ? "7" : "x \"y\": #z";
    EXPECT_EQ(Read(PrintConfig(settings)).at(setting.path).text, settings.at(setting.path).text);
  }
}

TEST(ConfigFile, RefusesANameThatDoesNotExistWithItsPlaceAndTheKnownOnes) {
  EXPECT_THAT(Refusal(std::string(kHeader) + "election:\n  leaseTime: 15s\n"),
              AllOf(StartsWith("c.yaml: line 4, column 3: election.leaseTime: is unknown"),
                    HasSubstr("leaseDuration, renewDeadline, retryPeriod")));
  EXPECT_THAT(Refusal(std::string(kHeader) + "elections: {}\n"),
              AllOf(StartsWith("c.yaml: line 3, column 1: elections: is unknown"),
                    HasSubstr("cluster, scheduler, webhook, fence, election")));
  EXPECT_THAT(Refusal(std::string(kHeader) + "log.level: info\n"), HasSubstr("is unknown"));
}

TEST(ConfigFile, RefusesTheWrongKindOfValue) {
  EXPECT_EQ(Refusal(std::string(kHeader) + "scheduler:\n  sharedPodsPerGpu: two\n"),
            "c.yaml: line 4, column 3: scheduler.sharedPodsPerGpu: expected a whole number, got "
            "\"two\"");
  EXPECT_THAT(Refusal(std::string(kHeader) + "scheduler: {name: 5}"),
              StartsWith("c.yaml: line 3, column 13: scheduler.name: expected text, got 5"));
  EXPECT_THAT(Refusal(std::string(kHeader) + "scheduler: [name]"), HasSubstr("expected an object"));
  EXPECT_THAT(Refusal("- a"), HasSubstr("expected an object, got a list"));
  EXPECT_THAT(Refusal("a: ["), StartsWith("c.yaml: line"));
}

TEST(ConfigFile, RefusesValuesThatAreNotAllowedWithTheirPlace) {
  EXPECT_THAT(Refusal(std::string(kHeader) + "scheduler: {sharedPodsPerGpu: 0}"),
              StartsWith("c.yaml: line 3, column 13: scheduler.sharedPodsPerGpu: "));
  EXPECT_THAT(Refusal(std::string(kHeader) + "election:\n  retryPeriod: soon\n"),
              StartsWith("c.yaml: line 4, column 3: election.retryPeriod: "));
  EXPECT_THAT(Refusal(std::string(kHeader) + "election:\n  retryPeriod: 1m\n"),
              AllOf(StartsWith("c.yaml: line 4, column 3: election.retryPeriod: "),
                    HasSubstr("the renew deadline (10s) must be longer")));
  EXPECT_THAT(Refusal(std::string(kHeader) + "scheduler: {releaseTimeout: -1s}"),
              HasSubstr("must not be less than 0"));
}

TEST(ConfigFile, MustSayWhatItIs) {
  EXPECT_THAT(Refusal("kind: SchedulerConfig\n"), HasSubstr("write apiVersion: gpu-scheduler/v1"));
  EXPECT_THAT(Refusal("apiVersion: gpu-scheduler/v1\nkind: Pod\n"),
              StartsWith("c.yaml: line 2, column 1: kind: expected SchedulerConfig, got \"Pod\""));
  EXPECT_THAT(Refusal("apiVersion: gpu-scheduler/v2\nkind: SchedulerConfig\n"),
              HasSubstr("apiVersion: expected gpu-scheduler/v1"));
}

class ConfigOnDisk : public testing::Test {
 protected:
  ConfigOnDisk() {
    std::ofstream(path_) << kHeader << "scheduler: {name: filed}\nlog: {level: debug}\n";
  }
  ~ConfigOnDisk() override { std::filesystem::remove(path_); }

  // Other tests of this class may run at the same time.
  const std::string path_ = testing::TempDir() + "gs-config-" + std::to_string(getpid()) + ".yaml";
};

TEST_F(ConfigOnDisk, AFlagWinsOverTheFile) {
  const auto parsed = ParseCommandLine({"--config", path_, "--log-level", "error"}, "1");
  ASSERT_TRUE(parsed.ok()) << parsed.error();
  const auto& options = std::get<SchedulerOptions>(*parsed);
  EXPECT_EQ(options.name, SchedulerName("filed"));
  EXPECT_EQ(options.log_level, runtime::LogLevel::kError);
  EXPECT_EQ(options.share_cap, 4);
}

TEST_F(ConfigOnDisk, CheckConfigShowsWhatFlagsAndFileAmountTo) {
  const auto parsed =
      ParseCommandLine({"--config", path_, "--log-level", "error", "--check-config"}, "1");
  ASSERT_TRUE(parsed.ok()) << parsed.error();
  const std::string shown = std::get<ShowText>(*parsed).text;
  EXPECT_THAT(shown, AllOf(HasSubstr("name: \"filed\""), HasSubstr("level: \"error\""),
                           HasSubstr("leaseDuration: \"15s\"")));
  EXPECT_EQ(Refusal(shown), "");
}

TEST_F(ConfigOnDisk, CheckConfigRefusesWhatAStartWouldRefuse) {
  std::ofstream(path_, std::ios::app) << "status: {listen: nowhere}\n";
  const auto parsed = ParseCommandLine({"--config", path_, "--check-config"}, "1");
  ASSERT_FALSE(parsed.ok());
  EXPECT_THAT(ToString(parsed.error()), StartsWith(path_ + ": line 5, column 10: status.listen: "));
}

TEST(ConfigFile, AFileThatIsNotThereIsNamed) {
  const auto parsed = ParseCommandLine({"--config", "/no/such.yaml"}, "1");
  ASSERT_FALSE(parsed.ok());
  EXPECT_THAT(ToString(parsed.error()), AllOf(HasSubstr("--config"), HasSubstr("/no/such.yaml")));
}

}  // namespace
}  // namespace gs::scheduler
