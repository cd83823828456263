#include "base/text_or_number.h"

#include <gtest/gtest.h>

#include <utility>

namespace gs {
namespace {

TEST(TextOrNumber, IsAsLargeAsAPointer) { EXPECT_EQ(sizeof(TextOrNumber), sizeof(void*)); }

TEST(TextOrNumber, KeepsNumbersAsTheyAre) {
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{7}, TextOrNumber::kMostNumber}) {
    const TextOrNumber value = TextOrNumber::Number(number);
    EXPECT_TRUE(value.is_number());
    EXPECT_FALSE(value.empty());
    EXPECT_EQ(value.number(), number);
    EXPECT_TRUE(TextOrNumber(value).IsSameCopy(value));
  }
}

TEST(TextOrNumber, SharesTextsWithItsCopies) {
  TextOrNumber kept;
  EXPECT_TRUE(kept.empty());
  {
    const TextOrNumber first(SharedText("longer than what fits into a string itself"));
    kept = first;
    kept = *&kept;
    EXPECT_TRUE(kept.IsSameCopy(first));
  }
  EXPECT_FALSE(kept.is_number());
  EXPECT_EQ(kept.view(), "longer than what fits into a string itself");
}

TEST(TextOrNumber, ThatWasMovedFromIsEmpty) {
  TextOrNumber text(SharedText("a"));
  TextOrNumber number = TextOrNumber::Number(1);
  EXPECT_EQ(TextOrNumber(std::move(text)).view(), "a");
  EXPECT_EQ(TextOrNumber(std::move(number)).number(), 1U);
  EXPECT_TRUE(text.empty());    // NOLINT(bugprone-use-after-move): what the test is about
  EXPECT_TRUE(number.empty());  // NOLINT(bugprone-use-after-move): what the test is about
}

}  // namespace
}  // namespace gs
