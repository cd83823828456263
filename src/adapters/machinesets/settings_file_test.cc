#include "adapters/machinesets/settings_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gs::machinesets {
namespace {

using ::testing::HasSubstr;

std::string RefusalFor(std::string_view text) {
  const auto settings = ReadSettings(text, "settings.yaml");
  return settings ? "read" : ToString(settings.error());
}

TEST(SettingsFile, WithNothingInItIsTheDefault) {
  const auto settings = ReadSettings("kind: MachineSetSettings", "f");
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(*settings, DefaultSettings());
}

TEST(SettingsFile, HasEverything) {
  const auto settings = ReadSettings(R"(
apiVersion: gpu-machinesets/v1
kind: MachineSetSettings
zones: all
spot: {maxPrice: "1.25"}
autoscale: {min: 1, max: 3}
diskGiB: 300
taints: ["a=b:NoExecute"]
labels: {x/y: ""}
accelerator: some-gpu
instanceTypes:
  g6.4xlarge:
  n1-standard-8: {attached: {type: nvidia-tesla-t4, count: 2}, spot: false, autoscale: false}
  x9.huge: {gpus: 2, vcpus: 8, memoryMiB: 1024, replicas: 0, zones: [a, b], diskGiB: 10}
)",
                                     "f");
  ASSERT_TRUE(settings.ok()) << settings.error();
  ASSERT_EQ(settings->types.size(), 3U);
  const TypeWish& first = settings->types[0];
  EXPECT_EQ(first.type, "g6.4xlarge");
  EXPECT_EQ(first.zones.rule, ZoneRule::kAll);
  EXPECT_EQ(first.spot, Spot{"1.25"});
  EXPECT_EQ(first.autoscale, (Autoscale{1, 3}));
  EXPECT_EQ(first.disk_gib, 300);
  EXPECT_FALSE(first.replicas);
  const TypeWish& second = settings->types[1];
  EXPECT_EQ(second.attached, (Attached{"nvidia-tesla-t4", 2}));
  EXPECT_FALSE(second.spot);
  EXPECT_FALSE(second.autoscale);
  const TypeWish& third = settings->types[2];
  EXPECT_EQ(third.counts, (Counts{2, 8, 1024}));
  EXPECT_EQ(third.replicas, 0);
  EXPECT_EQ(third.zones.listed, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(third.disk_gib, 10);
  EXPECT_EQ(ToString(settings->taints->front()), "a=b:NoExecute");
  EXPECT_EQ(settings->labels->at("x/y"), "");
  EXPECT_EQ(settings->accelerator, "some-gpu");
}

TEST(SettingsFile, RefusesWithLineAndColumn) {
  EXPECT_THAT(RefusalFor("zones: all\ninstanceTypes:\n  g6.4xlarge:\n    replicas: many\n"),
              HasSubstr("settings.yaml: instanceTypes.g6.4xlarge.replicas: line 4, column 5: "));
  // What nobody reads has the place of its owner.
  EXPECT_THAT(RefusalFor("zones: all\ninstanceTypes:\n  g6.4xlarge:\n    replica: 2\n"),
              HasSubstr("instanceTypes.g6.4xlarge: line 3, column 3: unknown field \"replica\""));
  EXPECT_THAT(RefusalFor("instanceTypes:\n  g6.4xlarge: {replicas: -1}\n"),
              HasSubstr("line 2, column 16: "));
  EXPECT_THAT(RefusalFor("a: [\n"), HasSubstr("settings.yaml: line"));
}

TEST(SettingsFile, RefusesWhatCannotBe) {
  EXPECT_THAT(RefusalFor("kind: Other"), HasSubstr("expected MachineSetSettings"));
  EXPECT_THAT(RefusalFor("apiVersion: v2"), HasSubstr("expected gpu-machinesets/v1"));
  EXPECT_THAT(RefusalFor("zones: somewhere"), HasSubstr("write first, all, or a list of zones"));
  EXPECT_THAT(RefusalFor("zones: []"), HasSubstr("expected zones"));
  EXPECT_THAT(RefusalFor("spot: {maxPrice: \"0.0\"}"), HasSubstr("is no price"));
  EXPECT_THAT(RefusalFor("spot: maybe"), HasSubstr("expected true, false or"));
  EXPECT_THAT(RefusalFor("autoscale: {min: 3, max: 2}"), HasSubstr("expected false or"));
  EXPECT_THAT(RefusalFor("taints: [\"a:Never\"]"), HasSubstr("is no taint"));
  EXPECT_THAT(RefusalFor("labels: {\"-\": x}"), HasSubstr("labels.-"));
  EXPECT_THAT(RefusalFor("labels: {a: 1}"), HasSubstr("write it in quotes"));
  EXPECT_THAT(RefusalFor("accelerator: \"a b\""), HasSubstr("accelerator"));
  EXPECT_THAT(RefusalFor("instanceTypes: {}"), HasSubstr("expected types by their names"));
  EXPECT_THAT(RefusalFor("instanceTypes: [g6.4xlarge]"), HasSubstr("expected types by"));
}

TEST(SettingsFile, FlagsHaveTheSameValues) {
  EXPECT_EQ(*ParseAutoscale("0:4"), (Autoscale{0, 4}));
  for (const char* wrong : {"4", "4:0", "-1:2", "0:0", "a:b", "1:2:3"}) {
    EXPECT_FALSE(ParseAutoscale(wrong)) << wrong;
  }
  EXPECT_EQ(ParseZones("first").rule, ZoneRule::kFirst);
  EXPECT_EQ(ParseZones("all").rule, ZoneRule::kAll);
  EXPECT_EQ(ParseZones("a, b").listed, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(CheckPrice("12"));
  for (const char* wrong : {"", ".", "1.", "-1", "1e3", "0", "1.2.3"}) {
    EXPECT_FALSE(CheckPrice(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace gs::machinesets
