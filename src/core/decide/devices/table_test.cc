// A table must answer as the direct search does, for every set of free GPUs.
#include "core/decide/devices/table.h"

#include <gtest/gtest.h>

#include "core/decide/devices/choose.h"
#include "tests/support/machines.h"

namespace gs::devices {
namespace {

using model::DevicePolicy;
using model::TopologyMode;

void ExpectSameAnswers(const Topology& topology, const Request& request, std::uint64_t step) {
  TableCache tables;
  tables.Add(topology, TableKey::Of(request), *BuildTable(topology, TableKey::Of(request)));
  for (std::uint64_t free = 0; free <= topology.all().bits(); free += step) {
    const Availability availability{.unused = GpuSet(free), .sharers = {}, .unhealthy = {}};
    ASSERT_EQ(Choose(topology, availability, request, &tables),
              Choose(topology, availability, request))
        << "free " << free;
  }
}

TEST(Table, AnswersLikeTheDirectSearchOnEveryFreeSet) {
  for (const auto& topology : {testing::Dgx1Volta().topology(), testing::TwoSockets().topology()}) {
    for (std::int32_t count = 1; count <= 8; ++count) {
      ExpectSameAnswers(topology, {.count = count}, 1);
      ExpectSameAnswers(topology, {.count = count, .mode = TopologyMode::kIgnore}, 1);
      ExpectSameAnswers(topology, {.count = count, .policy = DevicePolicy::kSpread}, 1);
      ExpectSameAnswers(
          topology, {.count = count, .mode = TopologyMode::kRequired, .min_bandwidth_gbps = 100},
          1);
    }
  }
}

TEST(Table, AnswersLikeTheDirectSearchAtSixteenGpus) {
  const auto topology = testing::Dgx2().topology();
  for (const std::int32_t count : {1, 3, 8}) ExpectSameAnswers(topology, {.count = count}, 4093);
}

TEST(Table, IsNotBuiltForWhatItCannotHold) {
  EXPECT_FALSE(BuildTable(Topology::Counted(17), {.count = 1}));
  EXPECT_FALSE(BuildTable(Topology::Counted(4), {.count = 5}));
  EXPECT_FALSE(BuildTable(Topology::Counted(4), {.count = 0}));
}

TEST(Table, RequestsThatDifferOnlyInWhatItDoesNotReadShareOne) {
  EXPECT_EQ(TableKey::Of({.count = 2, .min_bandwidth_gbps = 300}), TableKey::Of({.count = 2}));
  EXPECT_NE(TableKey::Of({.count = 2, .mode = TopologyMode::kRequired}),
            TableKey::Of({.count = 2}));
}

TEST(TableCache, KeepsMachinesApart) {
  TableCache tables;
  const auto dgx = testing::Dgx1Volta().topology();
  tables.Add(dgx, {.count = 2}, *BuildTable(dgx, {.count = 2}));
  EXPECT_NE(tables.Find(testing::Dgx1Volta().topology(), {.count = 2}), nullptr);
  EXPECT_EQ(tables.Find(testing::HgxA100().topology(), {.count = 2}), nullptr);
  EXPECT_EQ(tables.Find(dgx, {.count = 4}), nullptr);
}

}  // namespace
}  // namespace gs::devices
