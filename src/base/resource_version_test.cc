#include "base/resource_version.h"

#include <gtest/gtest.h>

namespace gs {
namespace {

std::partial_ordering Compare(const char* a, const char* b) {
  return CompareVersions(ResourceVersion(a), ResourceVersion(b));
}

TEST(ResourceVersion, ComparesNumbersOfAnyLength) {
  EXPECT_EQ(Compare("9", "10"), std::partial_ordering::less);
  EXPECT_EQ(Compare("10", "9"), std::partial_ordering::greater);
  EXPECT_EQ(Compare("19", "20"), std::partial_ordering::less);
  EXPECT_EQ(Compare("0", "1"), std::partial_ordering::less);
  EXPECT_EQ(Compare("7", "7"), std::partial_ordering::equivalent);
  EXPECT_EQ(Compare("99999999999999999999999", "100000000000000000000000"),
            std::partial_ordering::less);
}

TEST(ResourceVersion, WhatIsNoNumberHasNoOrder) {
  for (const char* odd : {"", "abc", "1a", "-1", "007", " 1", "+1"}) {
    EXPECT_EQ(Compare(odd, "5"), std::partial_ordering::unordered) << odd;
    EXPECT_EQ(Compare("5", odd), std::partial_ordering::unordered) << odd;
    EXPECT_EQ(Compare(odd, odd), std::partial_ordering::equivalent) << odd;
  }
}

TEST(ResourceVersion, WhatCannotBeComparedProvesNothing) {
  const auto is_at_least = [](const char* a, const char* b) {
    return IsAtLeast(ResourceVersion(a), ResourceVersion(b));
  };
  EXPECT_TRUE(is_at_least("10", "9"));
  EXPECT_TRUE(is_at_least("10", "10"));
  EXPECT_FALSE(is_at_least("9", "10"));
  for (const char* odd : {"", "abc", "007"}) {
    EXPECT_FALSE(is_at_least(odd, odd)) << odd;
    EXPECT_FALSE(is_at_least(odd, "5")) << odd;
    EXPECT_FALSE(is_at_least("5", odd)) << odd;
  }
}

TEST(ResourceVersion, TheLaterOfTwo) {
  const ResourceVersion none;
  const ResourceVersion nine("9");
  const ResourceVersion ten("10");
  EXPECT_EQ(LaterVersion(nine, ten), ten);
  EXPECT_EQ(LaterVersion(ten, nine), ten);
  EXPECT_EQ(LaterVersion(none, nine), nine);
  EXPECT_EQ(LaterVersion(nine, none), nine);
  EXPECT_EQ(LaterVersion(none, none), none);
}

}  // namespace
}  // namespace gs
