#include "core/decide/devices/restriction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/machines.h"

namespace gs::devices {
namespace {

using model::LinkKind;
using model::PcieClass;

TEST(Restriction, NoneAllowsEverySet) {
  const auto topology = testing::TwoSockets().topology();
  const auto none = Restriction::None(topology);
  EXPECT_TRUE(none.Allows(topology.all()));
  EXPECT_EQ(none.Largest(topology.all(), GpuSet()), topology.all());
}

TEST(Restriction, OneIslandAllowsOnlyPairsOfThatIsland) {
  const auto topology = testing::TwoSockets().topology();  // islands 0-1, 2-3, 4-5, 6-7
  const auto one = Restriction::OneIsland(topology, 0);
  EXPECT_TRUE(one.Allows(GpuSet(0b0011)));
  EXPECT_FALSE(one.Allows(GpuSet(0b0110)));
  EXPECT_TRUE(one.Allows(GpuSet()));
  EXPECT_TRUE(one.Allows(GpuSet(0b1000)));
}

TEST(Restriction, BandwidthIsAskedOfEveryPair) {
  const auto topology = testing::Dgx1Volta().topology();
  EXPECT_TRUE(Restriction::OneIsland(topology, 50).Allows(GpuSet(0b1111)));
  EXPECT_FALSE(Restriction::OneIsland(topology, 51).Allows(GpuSet(0b1111)));
  // 0 and 5 are in one island without a link of their own: no bandwidth is reported for them.
  EXPECT_TRUE(Restriction::OneIsland(topology, 0).Allows(GpuSet(0b100001)));
  EXPECT_FALSE(Restriction::OneIsland(topology, 1).Allows(GpuSet(0b100001)));
}

TEST(Restriction, LargestKeepsTheMustIncludes) {
  const auto topology = testing::Hives(2, 4).topology();
  const auto one = Restriction::OneIsland(topology, 0);
  EXPECT_EQ(one.Largest(topology.all(), GpuSet::Of(5)), GpuSet(0b11110000));
  EXPECT_EQ(one.Largest(GpuSet(0b00110011), GpuSet::Of(5)), GpuSet(0b00110000));
  EXPECT_TRUE(one.Largest(topology.all(), GpuSet(0b00010001)).empty());  // two hives
  EXPECT_TRUE(one.Largest(GpuSet(0b0011), GpuSet::Of(5)).empty());       // not a candidate
}

TEST(Restriction, LargestIsAsLargeAsBruteForceFinds) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    testing::MachineBuilder builder(10);
    for (std::size_t a = 0; a < 10; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const bool is_fast = random() % 3 != 0;
        builder.Pair(a, b, {LinkKind::kNvLink, 1, PcieClass::kSys, is_fast ? 100 : 10});
      }
    }
    const auto topology = builder.topology();
    const auto fast = Restriction::OneIsland(topology, 100);
    std::size_t largest = 0;
    for (std::uint64_t bits = 0; bits < 1024; ++bits) {
      if (fast.Allows(GpuSet(bits))) largest = std::max(largest, GpuSet(bits).size());
    }
    const GpuSet found = fast.Largest(topology.all(), GpuSet());
    EXPECT_TRUE(fast.Allows(found));
    ASSERT_EQ(found.size(), largest) << "round " << round;
  }
}

TEST(BestBandwidth, IsWhatTheSlowestPairOfTheBestSetHas) {
  const auto topology = testing::Dgx1Volta().topology();
  EXPECT_EQ(BestBandwidth(topology, topology.all(), GpuSet(), 2), 100);
  EXPECT_EQ(BestBandwidth(topology, topology.all(), GpuSet(), 4), 50);
  EXPECT_EQ(BestBandwidth(topology, topology.all(), GpuSet(), 5), 0);
  EXPECT_EQ(BestBandwidth(topology, GpuSet(0b100001), GpuSet(), 2), 0);
}

}  // namespace
}  // namespace gs::devices
