#include "core/decide/devices/table_wishes.h"

#include <gtest/gtest.h>

#include "tests/support/machines.h"

namespace gs::devices {
namespace {

std::shared_ptr<const Topology> Shared(Topology topology) {
  return std::make_shared<const Topology>(std::move(topology));
}

TEST(TableWishesTest, EachShapeAndKindOfRequestIsWishedForOnce) {
  TableWishes wishes;
  wishes.Note(Shared(testing::Dgx1Volta().topology()), {.count = 2});
  wishes.Note(Shared(testing::Dgx1Volta().topology()), {.count = 2});
  wishes.Note(Shared(testing::Dgx1Volta().topology()), {.count = 4});
  wishes.Note(Shared(testing::HgxA100().topology()), {.count = 2});
  EXPECT_EQ(wishes.Take().size(), 3U);
  wishes.Note(Shared(testing::Dgx1Volta().topology()), {.count = 2});
  EXPECT_TRUE(wishes.Take().empty());
}

TEST(TableWishesTest, WhatIsWishedForCanBeBuilt) {
  TableWishes wishes;
  const auto large = Shared(testing::Hives(8, 8).topology());
  wishes.Note(large, {.count = 2});
  wishes.Note(Shared(testing::FourPcie().topology()), {.count = 5});
  wishes.Note(Shared(testing::FourPcie().topology()), {.count = 4});
  const auto taken = wishes.Take();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_TRUE(BuildTable(*taken[0].topology, taken[0].key).has_value());
}

TEST(TableWishesTest, TablesThatWouldTakeTooMuchMemoryAreNotWishedFor) {
  const auto machine = Shared(testing::Dgx2().topology());
  TableWishes wishes(2 * TableBytes(*machine));
  for (const std::int32_t count : {1, 2, 3, 4}) wishes.Note(machine, {.count = count});
  EXPECT_EQ(wishes.Take().size(), 2U);
}

}  // namespace
}  // namespace gs::devices
