#include "core/model/rare.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace gs::model {
namespace {

struct Part {
  std::vector<int> numbers;
  friend bool operator==(const Part&, const Part&) = default;
};

TEST(Rare, IsAsLargeAsAPointerAndReadAsIfItWereThere) {
  EXPECT_EQ(sizeof(Rare<Part>), sizeof(void*));
  const Rare<Part> none;
  EXPECT_TRUE(none->numbers.empty());
  EXPECT_EQ(none, Rare<Part>(Part{}));
}

TEST(Rare, IsCopiedWithItsObject) {
  Rare<Part> first(Part{{1}});
  Rare<Part> copy = first;
  copy->numbers.push_back(2);
  EXPECT_EQ(first->numbers, std::vector{1});
  EXPECT_EQ(copy->numbers, (std::vector{1, 2}));
  first = copy;
  EXPECT_EQ(first, copy);
  const Rare<Part> moved = std::move(first);
  EXPECT_EQ(moved, copy);
}

TEST(Rare, ThatWasChangedAndIsAsBeforeEqualsNone) {
  Rare<Part> part;
  part->numbers.push_back(1);
  EXPECT_NE(part, Rare<Part>());
  part->numbers.clear();
  EXPECT_EQ(part, Rare<Part>());
}

}  // namespace
}  // namespace gs::model
