#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/kube/objects/decode.h"
#include "adapters/kube/objects/encode_claim_status.h"
#include "base/time.h"

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

model::ClaimStatus SomeStatus() {
  model::ClaimStatus status;
  status.phase = model::ClaimPhase::kAllocated;
  status.allocations = {{.pod = PodName("a"),
                         .uid = PodUid("u1"),
                         .gpus = {NodeName("node-a"), {GpuId(3), GpuId(1)}},
                         .uuids = {GpuUuid("GPU-3"), GpuUuid("GPU-1")},
                         .is_enforced = true,
                         .since = *ParseTime("2026-05-01T12:00:00Z")},
                        {.pod = PodName("b"),
                         .uid = PodUid("u2"),
                         .gpus = {NodeName("node-b"), {GpuId(0)}},
                         .uuids = {},
                         .is_enforced = false,
                         .since = *ParseTime("2026-05-01T12:00:01Z")}};
  status.allocated_count = 2;
  status.allocated = "node-a:3,1 node-b:0";
  status.first_node = NodeName("node-a");
  status.first_ids = {GpuId(3), GpuId(1)};
  status.message = "2 pods hold GPUs";
  status.conditions = {{.type = "Allocated",
                        .status = model::ConditionStatus::kTrue,
                        .reason = "PodsHoldGpus",
                        .message = "2 pods hold GPUs",
                        .since = *ParseTime("2026-05-01T12:00:02Z")}};
  return status;
}

// A merge patch that meets no status is the status, apart from what it removes.
Result<model::Claim> ClaimAfter(const model::ClaimStatus& status) {
  const std::string patch = EncodeClaimStatusPatch(status);
  return DecodeClaim(R"({"metadata":{"name":"pair","namespace":"team","resourceVersion":"7"},)" +
                     patch.substr(1));
}

TEST(DecodeClaim, ReadsBackTheStatusThatWasWritten) {
  for (const auto& status : {SomeStatus(), model::ClaimStatus{}}) {
    const auto claim = ClaimAfter(status);
    ASSERT_TRUE(claim.ok()) << claim.error();
    EXPECT_EQ(claim->resource_version, ResourceVersion("7"));
    EXPECT_EQ(claim->status, status);
  }
}

TEST(DecodeClaim, AStatusThatNobodyWouldWriteDoesNotSpoilTheRequest) {
  for (const auto* status :
       {"{}", "7", R"({"phase":"Dancing"})", R"({"phase":"Pending","allocations":[{"pod":"a"}]})",
        R"({"phase":"Pending","conditions":[{"type":"x","status":"True"}]})"}) {
    const auto claim =
        DecodeClaim(R"({"metadata":{"name":"pair","namespace":"team"},"spec":{},"status":)" +
                    std::string(status) + "}");
    ASSERT_TRUE(claim.ok()) << status << claim.error();
    EXPECT_EQ(claim->devices.count, 1);
    EXPECT_EQ(claim->status, std::nullopt) << status;
  }
}

}  // namespace
}  // namespace gs::kube
