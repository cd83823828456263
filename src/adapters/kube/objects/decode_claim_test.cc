#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/kube/objects/decode.h"

namespace gs::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

Result<model::Claim> Claim(const std::string& spec) {
  return DecodeClaim(R"({"metadata":{"name":"pair","namespace":"team"},"spec":)" + spec + "}");
}

TEST(DecodeClaim, ReadsEveryField) {
  const auto claim = Claim(R"({"devices":{"count":4,"policy":"preferIds","preferIds":[2,0],
      "exclusivity":"Shared"},"topology":{"mode":"Required","minBandwidthGBps":600},
      "selector":{"matchLabels":{"gpu":"a100"}}})");
  ASSERT_TRUE(claim.ok()) << claim.error();
  EXPECT_EQ(claim->ns, Namespace("team"));
  EXPECT_EQ(claim->name, ClaimName("pair"));
  EXPECT_EQ(claim->devices.count, 4);
  EXPECT_EQ(claim->devices.policy, model::DevicePolicy::kPreferIds);
  EXPECT_THAT(claim->devices.prefer_ids, ElementsAre(GpuId(2), GpuId(0)));
  EXPECT_EQ(claim->devices.exclusivity, model::Exclusivity::kShared);
  EXPECT_EQ(claim->topology, (model::TopologyRequest{model::TopologyMode::kRequired, 600}));
  EXPECT_THAT(claim->match_labels, ElementsAre(Pair("gpu", "a100")));
}

TEST(DecodeClaim, WhatIsAbsentHasTheDefaults) {
  const auto claim = Claim("{}");
  ASSERT_TRUE(claim.ok()) << claim.error();
  EXPECT_EQ(claim->devices, model::DeviceRequest{});
  EXPECT_FALSE(claim->topology.has_value());
  EXPECT_EQ(Claim(R"({"topology":{}})")->topology, model::TopologyRequest{});
}

TEST(DecodeClaim, NamesPathAndClaimOfAMistake) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"devices":{"count":0}})",
       "claim team/pair: spec.devices.count: expected a number from 1"},
      {R"({"devices":{"count":"2"}})", "spec.devices.count: expected a whole number, got \"2\""},
      {R"({"devices":{"policy":"near"}})", "spec.devices.policy: expected one of contiguous"},
      {R"({"devices":{"preferIds":[1]}})", "spec.devices.preferIds: is only read with"},
      {R"({"devices":{"policy":"preferIds","preferIds":[1,1]}})", "preferIds[1]: is given twice"},
      {R"({"topology":{"mode":"Ignore","minBandwidthGBps":1}})", "no meaning with mode Ignore"},
      {R"({"selector":{"matchLabels":{"a":1}}})", "spec.selector.matchLabels[a]: expected text"},
  };
  for (const auto& [spec, message] : cases) {
    const auto claim = Claim(spec);
    ASSERT_FALSE(claim.ok()) << spec;
    EXPECT_THAT(ToString(claim.error()), HasSubstr(message)) << spec;
  }
}

}  // namespace
}  // namespace gs::kube
