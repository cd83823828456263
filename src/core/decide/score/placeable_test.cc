#include "core/decide/score/placeable.h"

#include <gtest/gtest.h>

#include "tests/support/machines.h"

namespace gs::score {
namespace {

using devices::GpuSet;

GpuSet SetOf(const std::vector<std::size_t>& positions) {
  GpuSet set;
  for (const std::size_t position : positions) set.Add(position);
  return set;
}

TEST(SizeWeights, APodCountsForTheNextLargerSize) {
  SizeWeights weights;
  weights.Add(1);
  weights.Add(3);
  weights.Add(16, 2);
  weights.Add(0);
  EXPECT_EQ(weights.of, (std::array<std::int64_t, 4>{2, 1, 2, 3}));
}

TEST(CountSets, ASetInOneIslandIsRarerThanOneAnywhere) {
  const auto topology = testing::TwoSockets().topology();  // islands 0-1, 2-3, 4-5, 6-7
  const SetCounts counts = CountSets(topology, SetOf({0, 1, 2, 4, 6}));
  EXPECT_EQ(counts.anywhere, (std::array<std::int64_t, 4>{5, 2, 1, 0}));
  EXPECT_EQ(counts.in_islands, (std::array<std::int64_t, 4>{5, 1, 0, 0}));
}

TEST(CountSets, GpusThatOthersHaveAreNotCountedWhicheverTheyAre) {
  const auto topology = testing::TwoSockets().topology();
  const SetCounts counts = CountSets(topology, topology.all(), 7);
  EXPECT_EQ(counts.anywhere, (std::array<std::int64_t, 4>{1, 0, 0, 0}));
  EXPECT_EQ(counts.in_islands, (std::array<std::int64_t, 4>{1, 0, 0, 0}));
  EXPECT_EQ(CountSets(topology, {}, 3), SetCounts{});
}

TEST(PlaceableLoss, NothingTakenIsNothingLost) {
  const auto topology = testing::TwoSockets().topology();
  EXPECT_EQ(PlaceableLoss(topology, SetOf({0, 1, 5}), SetOf({0, 1, 5}), {}), 0);
}

TEST(PlaceableLoss, ABrokenPairCostsMoreThanASingleThatIsLeftOver) {
  const auto topology = testing::TwoSockets().topology();  // islands 0-1, 2-3, 4-5, 6-7
  const GpuSet free = SetOf({0, 1, 2});
  const auto of_pair = PlaceableLoss(topology, free, SetOf({1, 2}), {});
  const auto of_single = PlaceableLoss(topology, free, SetOf({0, 1}), {});
  EXPECT_LT(of_single, of_pair);
}

TEST(PlaceableLoss, WhatIsAskedForMoreOftenCountsMore) {
  const auto topology = testing::HgxA100().topology();
  const GpuSet free = SetOf({0, 1, 2, 3});
  SizeWeights popular;
  popular.Add(4, 10);
  EXPECT_EQ(PlaceableLoss(topology, free, SetOf({1, 2, 3}), popular) -
                PlaceableLoss(topology, free, SetOf({1, 2, 3}), {}),
            20);  // one set of four anywhere and one in an island
}

}  // namespace
}  // namespace gs::score
