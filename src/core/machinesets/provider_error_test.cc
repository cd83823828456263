#include "core/machinesets/provider_error.h"

#include <gtest/gtest.h>

namespace gs::machinesets {
namespace {

TEST(ProviderError, NamesCapacityAndQuotaAsSuch) {
  const auto aws = ExplainProviderError(
      "error launching instance: InsufficientInstanceCapacity: We currently do not have sufficient "
      "g6.12xlarge capacity in the Availability Zone you requested (us-east-2a).");
  EXPECT_EQ(aws.kind, ProviderErrorKind::kNoCapacity);
  EXPECT_EQ(aws.title, "no capacity");
  EXPECT_NE(aws.advice.find("another zone"), std::string::npos);
  EXPECT_EQ(ExplainProviderError("VcpuLimitExceeded: You have requested more vCPU capacity than "
                                 "your current vCPU limit of 64 allows")
                .kind,
            ProviderErrorKind::kQuota);
  EXPECT_EQ(ExplainProviderError("OperationNotAllowed: Operation could not be completed as it "
                                 "results in exceeding approved NCADSA100v4 Family Cores quota")
                .kind,
            ProviderErrorKind::kQuota);
  EXPECT_EQ(ExplainProviderError("ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS").kind,
            ProviderErrorKind::kNoCapacity);
}

TEST(ProviderError, KnowsTheRest) {
  EXPECT_EQ(ExplainProviderError("SkuNotAvailable").kind, ProviderErrorKind::kNotOffered);
  EXPECT_EQ(ExplainProviderError("no security group found").kind, ProviderErrorKind::kWrongInput);
  EXPECT_EQ(ExplainProviderError("UnauthorizedOperation").kind, ProviderErrorKind::kNotAllowed);
  EXPECT_EQ(ExplainProviderError("the moon is full").kind, ProviderErrorKind::kOther);
  EXPECT_EQ(ExplainProviderError("").kind, ProviderErrorKind::kNone);
}

}  // namespace
}  // namespace gs::machinesets
