#include "core/model/claim.h"

#include <gtest/gtest.h>

namespace gs::model {
namespace {

TEST(Claim, WordsAreReadBackWhateverTheirCase) {
  for (const auto policy :
       {DevicePolicy::kContiguous, DevicePolicy::kSpread, DevicePolicy::kPreferIds}) {
    EXPECT_EQ(ParseDevicePolicy(ToString(policy)), policy);
  }
  for (const auto mode :
       {TopologyMode::kPreferred, TopologyMode::kRequired, TopologyMode::kIgnore}) {
    EXPECT_EQ(ParseTopologyMode(ToString(mode)), mode);
  }
  EXPECT_EQ(ParseDevicePolicy("PREFERIDS"), DevicePolicy::kPreferIds);
  EXPECT_EQ(ParseExclusivity("shared"), Exclusivity::kShared);
  EXPECT_EQ(ParseExclusivity("MIG"), std::nullopt);
}

TEST(Claim, SaysWhichWordsThereAre) {
  EXPECT_EQ(DevicePolicyNames(), "contiguous, spread, preferIds");
  EXPECT_EQ(TopologyModeNames(), "Preferred, Required, Ignore");
  EXPECT_EQ(ExclusivityNames(), "Exclusive, Shared");
}

TEST(Claim, PrintsWhatIsAsked) {
  Claim claim;
  claim.ns = Namespace("team");
  claim.name = ClaimName("pair");
  claim.devices.count = 2;
  EXPECT_EQ(ToString(claim), "team/pair: 2 GPU(s), contiguous, Exclusive");
  claim.topology = TopologyRequest{TopologyMode::kRequired, 600};
  EXPECT_EQ(ToString(claim),
            "team/pair: 2 GPU(s), contiguous, Exclusive, topology Required 600 GB/s");
}

}  // namespace
}  // namespace gs::model
