#include "core/decide/devices/adjacent_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>

namespace gs::devices {
namespace {

std::vector<GpuSet> MostAdjacent(const Topology& topology, const std::vector<Pool>& pools) {
  Budget budget(1'000'000);
  return MostAdjacentSets(topology, pools, 1000, budget);
}

TEST(AdjacentSets, AreWindowsOfOneRunInAscendingOrder) {
  const auto topology = Topology::Counted(6);
  const auto sets = MostAdjacent(topology, {{topology.all(), 4}});
  EXPECT_EQ(sets, (std::vector{GpuSet(0b001111), GpuSet(0b011110), GpuSet(0b111100)}));
}

TEST(AdjacentSets, PreferFewRunsToASmallSpan) {
  // Free 0-1 and 5-7: three of one run, although 0, 1 and 5 would also be three.
  const auto topology = Topology::Counted(8);
  EXPECT_EQ(MostAdjacent(topology, {{GpuSet(0b11100011), 3}}), (std::vector{GpuSet(0b11100000)}));
}

TEST(AdjacentSets, TakeWholePoolsAndFillAroundThem) {
  // 4 is forced; of 0, 1, 5 and 7 two more: 4 and 5 make a run, and 7 is nearer to it than 1.
  const auto topology = Topology::Counted(8);
  const auto sets = MostAdjacent(topology, {{GpuSet(0b00010000), 1}, {GpuSet(0b10100011), 2}});
  EXPECT_EQ(sets, (std::vector{GpuSet(0b10110000)}));
}

TEST(AdjacentSets, ReachTheBestOfAllSets) {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    const auto topology = Topology::Counted(10);
    const GpuSet left = GpuSet(random() % 1024);
    const GpuSet right = GpuSet(random() % 1024) - left;
    const std::vector<Pool> pools{{left, left.empty() ? 0 : random() % (left.size() + 1)},
                                  {right, right.empty() ? 0 : random() % (right.size() + 1)}};
    std::set<GpuSet> best;
    std::pair best_cost{1000, 1000};
    for (std::uint64_t bits = 1; bits < 1024; ++bits) {
      const GpuSet set(bits);
      if (!(left | right).Contains(set) || (set & left).size() != pools[0].count ||
          (set & right).size() != pools[1].count) {
        continue;
      }
      const std::pair cost{topology.RunsOf(set), topology.SpanOf(set)};
      if (cost < best_cost) best.clear();
      if (cost <= best_cost) best.insert(set);
      best_cost = std::min(best_cost, cost);
    }
    const auto sets = MostAdjacent(topology, pools);
    ASSERT_EQ(std::set(sets.begin(), sets.end()), best) << "round " << round;
  }
}

TEST(AdjacentSets, StopAtTheBudget) {
  Budget budget(10);
  EXPECT_TRUE(MostAdjacentSets(Topology::Counted(64), {{GpuSet(~0ULL), 8}}, 1, budget).empty());
  EXPECT_TRUE(budget.is_spent());
}

}  // namespace
}  // namespace gs::devices
