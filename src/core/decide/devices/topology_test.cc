#include "core/decide/devices/topology.h"

#include <gtest/gtest.h>

#include "tests/support/machines.h"

namespace gs::devices {
namespace {

using model::LinkKind;
using model::PcieClass;
using testing::MachineBuilder;

TEST(Topology, ScoresAPairByLinksAndPcieClass) {
  const auto topology = MachineBuilder(4)
                            .Pair(0, 1, {LinkKind::kNvLink, 2, PcieClass::kPix, 100})
                            .Pair(0, 2, {LinkKind::kNone, 0, PcieClass::kBoard, 0})
                            .topology();
  EXPECT_EQ(topology.PairScore(0, 1), 250);
  EXPECT_EQ(topology.PairScore(1, 0), 250);
  EXPECT_EQ(topology.PairScore(0, 2), 60);
  EXPECT_EQ(topology.PairScore(0, 3), 10);
  EXPECT_EQ(topology.ScoreOf(GpuSet(0b0111)), 250 + 60 + 10);
}

TEST(Topology, IsTheSameForMachinesThatDifferInNothingItReads) {
  const model::Machine machine = testing::HgxA100().machine();
  model::Machine other = machine;
  other.devices[3].uuid = GpuUuid("GPU-other");
  other.devices[3].health = model::Health::kUnhealthy;
  other.devices[3].in_use_by = {"team/a"};
  EXPECT_TRUE(Topology::IsSameOf(machine, other));
  EXPECT_EQ(Topology::Of(machine).value(), Topology::Of(other).value());
}

TEST(Topology, IsToldApartByIdsNumaNodesIslandsAndLinks) {
  const model::Machine machine = testing::HgxA100().machine();
  const auto is_same_after = [&](auto change) {
    model::Machine other = machine;
    change(other);
    return Topology::IsSameOf(machine, other);
  };
  EXPECT_FALSE(is_same_after([](auto& other) { other.devices.back().id = GpuId(99); }));
  EXPECT_FALSE(is_same_after([](auto& other) { other.devices[0].numa_node = 77; }));
  EXPECT_FALSE(is_same_after([](auto& other) { other.devices[0].island = IslandName("x"); }));
  EXPECT_FALSE(is_same_after([](auto& other) { other.links.Set(0, 1, {.bandwidth_gbps = 1}); }));
  EXPECT_FALSE(is_same_after([](auto& other) { other.devices.pop_back(); }));
}

TEST(Topology, FindsIslandsThroughIntermediateLinks) {
  // 0-1 and 1-2 are linked: 0 and 2 share the island without a link of their own. 3 is alone.
  const auto topology = MachineBuilder(4)
                            .Pair(0, 1, {LinkKind::kNvLink, 1, PcieClass::kSys, 50})
                            .Pair(1, 2, {LinkKind::kNvLink, 1, PcieClass::kSys, 50})
                            .topology();
  EXPECT_EQ(topology.islands(), (std::vector{GpuSet(0b0111), GpuSet(0b1000)}));
  EXPECT_EQ(topology.IslandsTouched(GpuSet(0b1001)), 2U);
  EXPECT_EQ(topology.IslandOf(2), GpuSet(0b0111));
}

TEST(Topology, TrustsStatedIslandsOverLinks) {
  MachineBuilder builder(4);
  builder.Mesh(0, 3, {LinkKind::kNvSwitch, 12, PcieClass::kSys, 600});
  model::Machine machine = builder.machine();
  machine.devices[0].island = IslandName("left");
  machine.devices[1].island = IslandName("left");
  const auto topology = Topology::Of(machine).value();
  EXPECT_EQ(topology.islands(), (std::vector{GpuSet(0b0011), GpuSet(0b1100)}));
}

TEST(Topology, AGpuOfUnknownNumaNodeSharesNone) {
  const auto topology = MachineBuilder(3).Numa(0, 1, 0).topology();
  EXPECT_EQ(topology.numa_nodes(), (std::vector{GpuSet(0b011), GpuSet(0b100)}));
}

TEST(Topology, CountsRunsAndSpanByIdNotByPosition) {
  MachineBuilder builder(4);
  model::Machine machine = builder.machine();
  machine.devices[2].id = GpuId(4);  // ids 0 1 4 5
  machine.devices[3].id = GpuId(5);
  const auto topology = Topology::Of(machine).value();
  EXPECT_EQ(topology.RunsOf(GpuSet(0b0011)), 1);
  EXPECT_EQ(topology.RunsOf(GpuSet(0b0110)), 2);
  EXPECT_EQ(topology.SpanOf(GpuSet(0b0110)), 3);
  EXPECT_EQ(topology.RunsOf(GpuSet()), 0);
  EXPECT_EQ(topology.PositionsOf({GpuId(4), GpuId(9)}), GpuSet(0b0100));
}

TEST(Topology, SlowestPairDecidesTheBandwidthOfASet) {
  const auto topology = testing::Dgx1Volta().topology();
  EXPECT_EQ(topology.MinBandwidthOf(GpuSet(0b1001)), 100);  // 0-3: two links
  EXPECT_EQ(topology.MinBandwidthOf(GpuSet(0b1111)), 50);   // 0-1: one link
  EXPECT_EQ(topology.MinBandwidthOf(GpuSet(0b100001)), 0);  // 0-5: none reported
  EXPECT_EQ(topology.MinBandwidthOf(GpuSet(0b1)), 0);
}

TEST(Topology, RefusesWhatItCannotHold) {
  EXPECT_FALSE(Topology::Of(MachineBuilder(65).machine()));
  model::Machine twice = MachineBuilder(2).machine();
  twice.devices[1].id = GpuId(0);
  EXPECT_FALSE(Topology::Of(twice));
  model::Machine short_matrix = MachineBuilder(2).machine();
  short_matrix.links = model::LinkMatrix(1);
  EXPECT_FALSE(Topology::Of(short_matrix));
  EXPECT_FALSE(
      Topology::Of(MachineBuilder(2).Pair(0, 1, {LinkKind::kNvLink, -1, {}, 0}).machine()));
  model::Machine huge_id = MachineBuilder(1).machine();
  huge_id.devices[0].id = GpuId(70000);
  EXPECT_FALSE(Topology::Of(huge_id));
}

TEST(Topology, OfAMereCountHasIslandsOfOne) {
  const auto topology = Topology::Counted(64);
  EXPECT_EQ(topology.size(), 64U);
  EXPECT_EQ(topology.islands().size(), 64U);
  EXPECT_EQ(topology.all().size(), 64U);
  EXPECT_EQ(Topology::Counted(0).size(), 0U);
}

TEST(Topology, MachinesOfOneShapeCompareEqual) {
  EXPECT_EQ(testing::HgxA100().topology(), testing::HgxA100().topology());
  EXPECT_NE(testing::HgxA100().topology(), testing::TwoSockets().topology());
}

}  // namespace
}  // namespace gs::devices
