#include "core/cycle/demand.h"

#include <gtest/gtest.h>

namespace gs::cycle {
namespace {

const PodUid kA("a");
const PodUid kB("b");

TEST(Demand, CountsPodsByTheirSize) {
  Demand demand;
  demand.Set(kA, 1);
  demand.Set(kB, 3);
  EXPECT_EQ(demand.weights().of, (std::array<std::int64_t, 4>{2, 1, 2, 1}));
}

TEST(Demand, APodCountsOnceAsItIsNow) {
  Demand demand;
  demand.Set(kA, 8);
  demand.Set(kA, 8);
  demand.Set(kA, 2);
  EXPECT_EQ(demand.weights().of, (std::array<std::int64_t, 4>{1, 2, 1, 1}));
}

TEST(Demand, WhoeverIsGoneOrWantsNoneDoesNotCount) {
  Demand demand;
  demand.Set(kA, 4);
  demand.Set(kA, 0);
  demand.Set(kB, 0);
  EXPECT_EQ(demand.weights().of, score::SizeWeights().of);
}

}  // namespace
}  // namespace gs::cycle
