#include "base/shared.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace gs {
namespace {

using Text = Shared<std::string>;

TEST(Shared, IsAsLargeAsAPointerAndCopiesShareTheValue) {
  EXPECT_EQ(sizeof(Text), sizeof(void*));
  const Text value(std::string("a"));
  const Text copy = value;  // NOLINT(performance-unnecessary-copy-initialization): the point
  EXPECT_EQ(copy.get(), value.get());
  EXPECT_TRUE(copy.IsSameCopy(value));
}

TEST(Shared, ComparesByTheValue) {
  EXPECT_EQ(Text(std::string("a")), Text(std::string("a")));
  EXPECT_NE(Text(std::string("a")), Text(std::string("b")));
  EXPECT_NE(Text(), Text(std::string()));
  EXPECT_EQ(Text(), Text());
}

TEST(Shared, MayBeMissing) {
  Text value;
  EXPECT_FALSE(value);
  EXPECT_EQ(value.get(), nullptr);
  value = std::string("a");
  EXPECT_TRUE(value);
  EXPECT_EQ(value->size(), 1U);
  value.reset();
  EXPECT_FALSE(value);
}

TEST(Shared, OutlivesTheCopyItCameFromAndIsNoneOnceItWasMovedFrom) {
  Text kept;
  {
    Text first(std::string("longer than what fits into a string itself"));
    kept = first;
    kept = *&kept;
    const Text moved = std::move(first);
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): what the test is about
  }
  EXPECT_EQ(*kept, "longer than what fits into a string itself");
}

}  // namespace
}  // namespace gs
