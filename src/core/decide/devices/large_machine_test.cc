// Machines of more than 16 GPUs: exact where they are built of islands, bounded and still correct
// elsewhere.
#include <gtest/gtest.h>

#include "base/gpu_ids.h"
#include "core/decide/devices/bounded_search.h"
#include "core/decide/devices/choose.h"
#include "tests/support/brute_force.h"
#include "tests/support/machines.h"

namespace gs::devices {
namespace {

using model::DevicePolicy;
using model::LinkKind;
using model::PcieClass;
using model::TopologyMode;

Choice ChoiceOn(const Topology& topology, GpuSet unused, const Request& request) {
  const Availability availability{.unused = unused, .sharers = {}, .unhealthy = {}};
  return std::get<Choice>(Choose(topology, availability, request));
}

TEST(LargeMachine, TakesAWholeHiveOfSixtyFour) {
  const auto topology = testing::Hives(8, 8).topology();
  const auto choice = ChoiceOn(topology, topology.all() - GpuSet::Of(3), {.count = 8});
  EXPECT_TRUE(choice.is_exact);
  // Hive 0 has seven left, so the lowest whole one is hive 1.
  EXPECT_EQ(PrintGpuIds(choice.ids), "8,9,10,11,12,13,14,15");
}

TEST(LargeMachine, TakesASmallRequestFromTheHiveThatCannotHoldALargeOne) {
  // Hive 2 has four free, all others eight: four from hive 2 leave the others whole.
  const auto topology = testing::Hives(8, 8).topology();
  const GpuSet unused = topology.all() - GpuSet(0xF0ULL << 16);
  const auto choice = ChoiceOn(topology, unused, {.count = 4});
  EXPECT_TRUE(choice.is_exact);
  // Every partition into fours inside hives is worth the same: 15 fours of 6 pairs at 120. Lowest
  // ids win.
  EXPECT_EQ(choice.partition_score, 15 * 6 * 120);
  EXPECT_EQ(choice.islands, 1);
  EXPECT_EQ(PrintGpuIds(ChoiceOn(topology, unused, {.count = 3}).ids), "0,1,2");
}

TEST(LargeMachine, CrossesAsFewHivesAsPossible) {
  const auto topology = testing::Hives(16, 4).topology();
  const auto choice = ChoiceOn(topology, topology.all(), {.count = 8});
  EXPECT_TRUE(choice.is_exact);
  EXPECT_EQ(choice.islands, 2);
  EXPECT_EQ(PrintGpuIds(choice.ids), "0,1,2,3,4,5,6,7");
}

TEST(LargeMachine, SpreadTakesOneOfEachHive) {
  const auto topology = testing::Hives(4, 8).topology();
  const auto choice =
      ChoiceOn(topology, topology.all(), {.count = 4, .policy = DevicePolicy::kSpread});
  EXPECT_TRUE(choice.is_exact);
  EXPECT_EQ(PrintGpuIds(choice.ids), "0,8,16,24");
}

TEST(LargeMachine, IgnoreTakesTheShortestRunThatLeavesTheBestRest) {
  const auto topology = Topology::Counted(24);
  // Runs 0-2, 4-11, 13-23; three adjacent ids: 0-2 leaves the long runs whole.
  const GpuSet unused = topology.all() - (GpuSet::Of(3) | GpuSet::Of(12));
  const auto choice = ChoiceOn(topology, unused, {.count = 3, .mode = TopologyMode::kIgnore});
  EXPECT_TRUE(choice.is_exact);
  EXPECT_EQ(PrintGpuIds(choice.ids), "0,1,2");
}

TEST(LargeMachine, SingleGpuLeavesTheBestRest) {
  // Three hives of eight with 8, 8 and 1 free: the lonely GPU has the fewest good pairs to lose.
  const auto topology = testing::Hives(3, 8).topology();
  const GpuSet unused = GpuSet::FirstN(16) | GpuSet::Of(20);
  const auto choice = ChoiceOn(topology, unused, {.count = 1});
  EXPECT_EQ(PrintGpuIds(choice.ids), "20");
}

// A machine without any structure: every pair has its own number of links.
testing::MachineBuilder Irregular(std::size_t gpus) {
  testing::MachineBuilder builder(gpus);
  std::uint32_t state = 12345;
  for (std::size_t a = 0; a < gpus; ++a) {
    for (std::size_t b = a + 1; b < gpus; ++b) {
      state = state * 1664525U + 1013904223U;
      const auto links = static_cast<std::int32_t>((state >> 16) % 8);
      const auto kind = links == 0 ? LinkKind::kNone : LinkKind::kNvLink;
      builder.Pair(a, b, {kind, links, PcieClass::kNode, 50 * links});
    }
  }
  return builder;
}

TEST(LargeMachine, WithoutStructureIsBoundedAndSaysSo) {
  const auto topology = Irregular(40).topology();
  const auto choice = ChoiceOn(topology, topology.all(), {.count = 8});
  EXPECT_FALSE(choice.is_exact);
  EXPECT_EQ(choice.set.size(), 8U);
  EXPECT_EQ(choice.islands, 1);
}

TEST(LargeMachine, WithoutStructureChoosesASingleGpuExactly) {
  const auto topology = Irregular(40).topology();
  const auto choice = ChoiceOn(topology, topology.all(), {.count = 1});
  EXPECT_TRUE(choice.is_exact);
  for (const std::size_t gpu : topology.all()) {
    EXPECT_GE(topology.ScoreOf(topology.all() - choice.set),
              topology.ScoreOf(topology.all() - GpuSet::Of(gpu)));
  }
}

TEST(LargeMachine, WithoutStructureStillDecidesRequiredExactly) {
  const auto topology = Irregular(40).topology();
  Request request{.count = 1, .mode = TopologyMode::kRequired, .min_bandwidth_gbps = 200};
  const Availability all = Availability::AllFree(40);
  // Grow the request until it is refused: the refusal must come with the set of the size before.
  Outcome outcome = Choose(topology, all, request);
  while (std::holds_alternative<Choice>(outcome)) {
    EXPECT_TRUE(testing::SatisfiesTopology(topology, request, std::get<Choice>(outcome).set));
    ++request.count;
    outcome = Choose(topology, all, request);
  }
  EXPECT_EQ(std::get<Miss>(outcome).largest_fit.size(),
            static_cast<std::size_t>(request.count - 1));
  EXPECT_GT(request.count, 3);
}

}  // namespace
}  // namespace gs::devices
