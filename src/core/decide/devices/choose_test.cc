// What the chooser refuses and how it says so, must-includes, preferIds and sharing. Choices on
// whole machines are in tests/scenarios/choose; optimality is in choose_property_test.cc.
#include "core/decide/devices/choose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/gpu_ids.h"
#include "tests/support/machines.h"

namespace gs::devices {
namespace {

using model::DevicePolicy;
using model::Exclusivity;
using model::TopologyMode;
using ::testing::HasSubstr;

std::vector<GpuId> Ids(std::string_view text) { return ParseGpuIds(text).value(); }

Availability Free(const Topology& topology, std::string_view ids) {
  return {.unused = topology.PositionsOf(Ids(ids)), .sharers = {}, .unhealthy = {}};
}

std::string Chosen(const Outcome& outcome) {
  const auto* choice = std::get_if<Choice>(&outcome);
  return choice == nullptr ? "none: " + ToString(std::get<Miss>(outcome))
                           : PrintGpuIds(choice->ids);
}

MissReason Reason(const Outcome& outcome) { return std::get<Miss>(outcome).reason; }

TEST(Choose, RefusesACountBelowOne) {
  const auto topology = Topology::Counted(4);
  const auto all = Availability::AllFree(4);
  EXPECT_EQ(Reason(Choose(topology, all, {.count = 0})), MissReason::kBadRequest);
  EXPECT_EQ(Reason(Choose(topology, all, {.count = -3})), MissReason::kBadRequest);
}

TEST(Choose, TellsANodeThatIsTooSmallFromOneThatIsBusy) {
  const auto topology = Topology::Counted(4);
  const auto too_small = Choose(topology, Availability::AllFree(4), {.count = 5});
  EXPECT_EQ(Reason(too_small), MissReason::kMoreThanNodeHas);
  EXPECT_EQ(Chosen(too_small), "none: asked for 5 GPUs, the node has 4");

  Availability busy = Free(topology, "1,2,3");
  busy.unhealthy = GpuSet::Of(3);
  const auto too_busy = Choose(topology, busy, {.count = 3});
  EXPECT_EQ(Reason(too_busy), MissReason::kNotEnoughFree);
  EXPECT_EQ(Chosen(too_busy),
            "none: asked for 3 GPUs, 2 of the node's 4 can be given, 1 are unhealthy");
}

TEST(Choose, ANodeWithoutGpusRefusesByCount) {
  EXPECT_EQ(Reason(Choose(Topology::Counted(0), {}, {.count = 1})), MissReason::kMoreThanNodeHas);
}

TEST(Choose, NeverGivesAnUnhealthyGpuEvenIfItIsNamed) {
  const auto topology = Topology::Counted(4);
  Availability availability = Availability::AllFree(4);
  availability.unhealthy = GpuSet::Of(2);
  const auto outcome = Choose(topology, availability, {.count = 1, .must_include = Ids("2")});
  EXPECT_EQ(Reason(outcome), MissReason::kMustIncludeTaken);
  EXPECT_EQ(Chosen(outcome), "none: GPU 2 is held by others or unhealthy");
}

TEST(Choose, RefusesMustIncludesThatCannotBe) {
  const auto topology = Topology::Counted(4);
  const auto free = Free(topology, "0,1,2");
  EXPECT_EQ(Chosen(Choose(topology, free, {.count = 2, .must_include = Ids("3")})),
            "none: GPU 3 is held by others or unhealthy");
  EXPECT_EQ(Chosen(Choose(topology, free, {.count = 2, .must_include = Ids("1,7")})),
            "none: the node has no GPU 7");
  EXPECT_EQ(Chosen(Choose(topology, free, {.count = 1, .must_include = Ids("0,1")})),
            "none: more GPUs are named than the 1 asked for");
}

TEST(Choose, RequiredSaysWhatWouldFit) {
  // Bridges make islands of two; four GPUs in one island do not exist.
  const auto topology = testing::TwoSockets().topology();
  const auto outcome =
      Choose(topology, Availability::AllFree(8), {.count = 4, .mode = TopologyMode::kRequired});
  EXPECT_EQ(Reason(outcome), MissReason::kIslandTooSmall);
  const auto& miss = std::get<Miss>(outcome);
  EXPECT_EQ(miss.largest_fit.size(), 2U);
  EXPECT_EQ(PrintGpuIds(miss.if_preferred), "0,1,2,3");
  EXPECT_THAT(ToString(miss), HasSubstr("Preferred would give GPUs 0,1,2,3 now"));
}

TEST(Choose, RequiredNamesTheBandwidthThatExists) {
  // Two GPUs of a DGX-1 share at most two links, 100 GB/s; the mesh of a quad is only as fast as
  // its single links.
  const auto topology = testing::Dgx1Volta().topology();
  const auto outcome =
      Choose(topology, Availability::AllFree(8),
             {.count = 4, .mode = TopologyMode::kRequired, .min_bandwidth_gbps = 100});
  EXPECT_EQ(Reason(outcome), MissReason::kBandwidthTooLow);
  const auto& miss = std::get<Miss>(outcome);
  EXPECT_EQ(miss.best_bandwidth_gbps, 50);
  EXPECT_EQ(miss.largest_fit.size(), 2U);
  EXPECT_THAT(ToString(miss), HasSubstr("4 GPUs in one island reach 50 GB/s"));
}

TEST(Choose, RequiredTellsNamedGpusThatLieApart) {
  const auto topology = testing::Hives(2, 4).topology();
  const auto outcome =
      Choose(topology, Availability::AllFree(8),
             {.count = 2, .mode = TopologyMode::kRequired, .must_include = Ids("0,4")});
  EXPECT_EQ(Reason(outcome), MissReason::kMustIncludeApart);
  EXPECT_THAT(Chosen(outcome), HasSubstr("GPUs 0,4 cannot be in such a set"));
}

TEST(Choose, PreferIdsTakesThoseThatAreFreeInTheOrderWritten) {
  const auto topology = testing::HgxA100().topology();
  Request request{.count = 2, .policy = DevicePolicy::kPreferIds, .prefer_ids = Ids("6,2,0")};
  EXPECT_EQ(Chosen(Choose(topology, Availability::AllFree(8), request)), "2,6");
  EXPECT_EQ(Chosen(Choose(topology, Free(topology, "0,1,2,3"), request)), "0,2");
  EXPECT_EQ(Chosen(Choose(topology, Free(topology, "1,3,5"), request)), "1,3");
  request.prefer_ids = Ids("42");  // not on this node: no reason to wait
  EXPECT_EQ(Chosen(Choose(topology, Availability::AllFree(8), request)), "0,1");
}

TEST(Choose, PreferIdsNeverMakesRequiredFail) {
  // 0 and 4 lie in different hives: 0 was written first and wins, 4 is dropped.
  const auto topology = testing::Hives(2, 4).topology();
  const Request request{.count = 3,
                        .policy = DevicePolicy::kPreferIds,
                        .prefer_ids = Ids("0,4,3"),
                        .mode = TopologyMode::kRequired};
  EXPECT_EQ(Chosen(Choose(topology, Availability::AllFree(8), request)), "0,1,3");
  // Only the second hive has three free: 0 is dropped too.
  EXPECT_EQ(Chosen(Choose(topology, Free(topology, "0,1,4,5,6"), request)), "4,5,6");
}

TEST(Choose, SharedPacksOntoSharedGpusFirstAndRespectsTheCap) {
  const auto topology = Topology::Counted(4);
  Availability availability = Free(topology, "0,3");
  availability.sharers[1] = 1;
  availability.sharers[2] = 3;
  Request request{.count = 1, .exclusivity = Exclusivity::kShared, .share_cap = 4};
  EXPECT_EQ(Chosen(Choose(topology, availability, request)), "2");  // the fullest with room
  availability.sharers[2] = 4;
  EXPECT_EQ(Chosen(Choose(topology, availability, request)), "1");
  availability.sharers[1] = 4;
  EXPECT_EQ(Chosen(Choose(topology, availability, request)), "0");  // a fresh one, both are full
  request.share_cap = 5;
  request.count = 3;
  EXPECT_EQ(Chosen(Choose(topology, availability, request)), "0,1,2");
}

TEST(Choose, ExclusiveNeverTakesASharedGpu) {
  const auto topology = Topology::Counted(2);
  Availability availability = Free(topology, "1");
  availability.sharers[0] = 1;
  EXPECT_EQ(Chosen(Choose(topology, availability, {.count = 1})), "1");
  EXPECT_EQ(Reason(Choose(topology, availability, {.count = 2})), MissReason::kNotEnoughFree);
}

TEST(Choose, UsesATableWhereThereIsOneAndSaysTheSame) {
  const auto topology = testing::Dgx2().topology();
  const Request request{.count = 4};
  TableCache tables;
  tables.Add(topology, TableKey::Of(request), *BuildTable(topology, TableKey::Of(request)));
  for (const std::string_view ids : {"0-15", "1,2,5,8-12", "0,15,7,8", "0,1"}) {
    const auto free = Free(topology, ids);
    EXPECT_EQ(Choose(topology, free, request, &tables), Choose(topology, free, request)) << ids;
  }
}

}  // namespace
}  // namespace gs::devices
