#include "core/cache/holders.h"

#include <gtest/gtest.h>

namespace gs::cache {
namespace {

using model::AllocationMode;

const model::PodRef kPod{Namespace("team"), PodName("a"), PodUid("u1")};
const GpuId kGpu(2);

TEST(Holders, APodHoldsAsLongAsAnyEvidenceIsLeft) {
  Holders holders;
  holders.Add(kGpu, kPod, AllocationMode::kExclusive, {}, Evidence::kAssumed);
  holders.Add(kGpu, kPod, AllocationMode::kExclusive, {}, Evidence::kFence);
  EXPECT_FALSE(holders.Remove(kGpu, kPod.uid, Evidence::kAssumed));
  ASSERT_EQ(holders.Of(kGpu).size(), 1U);
  EXPECT_TRUE(holders.Remove(kGpu, kPod.uid, Evidence::kFence));
  EXPECT_TRUE(holders.Of(kGpu).empty());
  EXPECT_TRUE(holders.all().empty());
}

TEST(Holders, NobodyMayJoinWhereOneEvidenceForbidsIt) {
  Holders holders;
  holders.Add(kGpu, kPod, AllocationMode::kShared, {}, Evidence::kBound);
  EXPECT_EQ(holders.Of(kGpu)[0].mode, AllocationMode::kShared);
  holders.Add(kGpu, kPod, AllocationMode::kExclusive, {}, Evidence::kFence);
  EXPECT_EQ(holders.Of(kGpu)[0].mode, AllocationMode::kExclusive);
  EXPECT_EQ(holders.Of(kGpu)[0].evidence, (std::vector{Evidence::kBound, Evidence::kFence}));
  EXPECT_FALSE(holders.Remove(kGpu, kPod.uid, Evidence::kFence));
  EXPECT_EQ(holders.Of(kGpu)[0].mode, AllocationMode::kShared);
}

TEST(Holders, PodsOfAControllerMayJoinOnlyWhereAllEvidenceNamesIt) {
  Holders holders;
  const ControllerUid mine("mine");
  holders.Add(kGpu, kPod, AllocationMode::kMap, mine, Evidence::kBound);
  holders.Add(kGpu, kPod, AllocationMode::kMap, mine, Evidence::kFence);
  EXPECT_EQ(holders.Of(kGpu)[0].controller, mine);
  holders.Add(kGpu, kPod, AllocationMode::kMap, ControllerUid("other"), Evidence::kFence);
  EXPECT_EQ(holders.Of(kGpu)[0].mode, AllocationMode::kExclusive);
  EXPECT_EQ(holders.Of(kGpu)[0].controller, ControllerUid());
}

TEST(Holders, WhatIsNotThereCannotBeRemoved) {
  Holders holders;
  EXPECT_FALSE(holders.Remove(kGpu, kPod.uid, Evidence::kBound));
  holders.Add(kGpu, kPod, AllocationMode::kExclusive, {}, Evidence::kBound);
  EXPECT_FALSE(holders.Remove(kGpu, PodUid("other"), Evidence::kBound));
  EXPECT_FALSE(holders.Remove(kGpu, kPod.uid, Evidence::kFence));
  EXPECT_EQ(holders.Of(kGpu).size(), 1U);
}

}  // namespace
}  // namespace gs::cache
