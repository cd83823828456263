#include "base/saturated.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace gs {
namespace {

__extension__ typedef __int128 Int128;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

std::int64_t Clamp(Int128 exact) {
  return static_cast<std::int64_t>(std::clamp(exact, Int128{kLeast}, Int128{kMost}));
}

TEST(Saturated, StopsAtTheLimits) {
  EXPECT_EQ(SaturatedAdd(kMost, 1), kMost);
  EXPECT_EQ(SaturatedAdd(kLeast, -1), kLeast);
  EXPECT_EQ(SaturatedSubtract(kLeast, 1), kLeast);
  EXPECT_EQ(SaturatedSubtract(0, kLeast), kMost);
  EXPECT_EQ(SaturatedMultiply(kMost, 1000), kMost);
  EXPECT_EQ(SaturatedMultiply(kMost, -2), kLeast);
}

RC_GTEST_PROP(SaturatedProperty, IsTheExactResultWithinTheLimits,
              (std::int64_t a, std::int64_t b)) {
  const std::int64_t far_a =
      *rc::gen::element(a, kMost - std::abs(a % 9), kLeast + std::abs(a % 9));
  RC_ASSERT(SaturatedAdd(far_a, b) == Clamp(Int128{far_a} + b));
  RC_ASSERT(SaturatedSubtract(far_a, b) == Clamp(Int128{far_a} - b));
  RC_ASSERT(SaturatedMultiply(far_a, b) == Clamp(Int128{far_a} * b));
}

}  // namespace
}  // namespace gs
