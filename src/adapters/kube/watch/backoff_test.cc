#include "adapters/kube/watch/backoff.h"

#include <gtest/gtest.h>

#include <tuple>

namespace gs::kube {
namespace {

using std::chrono::seconds;

TEST(Backoff, DoublesUpToTheMaximumWithUpToHalfTakenOff) {
  Backoff backoff({.first = seconds(1), .max = seconds(10)}, 1);
  for (const int want : {1, 2, 4, 8, 10, 10, 10}) {
    const Duration delay = backoff.Next();
    EXPECT_LE(delay, seconds(want));
    EXPECT_GE(delay, seconds(want) / 2);
  }
}

TEST(Backoff, BeginsAgainAfterAReset) {
  Backoff backoff({.first = seconds(1), .max = seconds(100)}, 1);
  for (int i = 0; i < 6; ++i) EXPECT_GT(backoff.Next(), Duration(0));
  backoff.Reset();
  EXPECT_LE(backoff.Next(), seconds(1));
}

TEST(Backoff, TheSeedDecides) {
  const auto three = [](std::uint64_t seed) {
    Backoff backoff({.first = seconds(1), .max = seconds(100)}, seed);
    const Duration a = backoff.Next();
    const Duration b = backoff.Next();
    return std::tuple(a, b, backoff.Next());
  };
  EXPECT_EQ(three(7), three(7));
  EXPECT_NE(three(7), three(8));
}

TEST(Backoff, TheLongestRangeDoesNotOverflow) {
  Backoff backoff({.first = Duration(1), .max = Duration::max()}, 3);
  for (int i = 0; i < 100; ++i) EXPECT_GT(backoff.Next(), Duration(0));
}

}  // namespace
}  // namespace gs::kube
