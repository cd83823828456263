#include "programs/kubectl_gpu/choose_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/gpu/machine_file.h"
#include "adapters/json/parse.h"

namespace gs::kubectl_gpu {
namespace {

using devices::GpuSet;
using testing::HasSubstr;
using testing::Not;

class ReportTest : public testing::Test {
 protected:
  [[nodiscard]] std::string Text(const devices::Outcome& outcome) const {
    return TextReport(situation_, outcome);
  }

  model::Machine machine_ = *gpu::ReadMachine(
      "[{id: 1, uuid: GPU-a, links: [{peer: 2, type: xGMI, count: 10, pcie: BOARD}]},"
      " {id: 2, uuid: GPU-b}, {id: 4, health: Unhealthy, healthReason: \"XID 79\\e\"}, {id: 5}]");
  devices::Topology topology_ = *devices::Topology::Of(machine_);
  devices::Availability availability_ = devices::Availability::AllFree(4);
  devices::Request request_;
  Situation situation_{machine_, topology_, availability_, request_};
  devices::Choice pair_{.set = GpuSet(0b0011), .ids = {GpuId(1), GpuId(2)}, .islands = 1};
};

TEST_F(ReportTest, ShowsUuidsWhereTheyAreKnown) {
  EXPECT_THAT(Text(pair_), HasSubstr("UUIDs            GPU-a, GPU-b\n"));
  EXPECT_THAT(Text(devices::Choice{.set = GpuSet(0b1000), .ids = {GpuId(5)}}),
              Not(HasSubstr("UUIDs")));
}

TEST_F(ReportTest, AlignsTheMatrixToItsWidestCell) {
  EXPECT_THAT(Text(pair_), HasSubstr("\n"
                                     "                  1             2\n"
                                     "    1             -  XGMI10/BOARD\n"
                                     "    2  XGMI10/BOARD             -\n"));
}

TEST_F(ReportTest, ShowsUnhealthyGpusAndNeverCountsThemAsLeft) {
  availability_.unhealthy = GpuSet(0b0100);
  EXPECT_THAT(Text(pair_), HasSubstr("unhealthy        4 (XID 79?)\n"));
  EXPECT_THAT(Text(pair_), HasSubstr("left free        5\n"));
}

TEST_F(ReportTest, SaysWhenNothingIsLeft) {
  availability_.unused = GpuSet(0b0011);
  EXPECT_THAT(Text(pair_), HasSubstr("left free        none\n"));
}

TEST_F(ReportTest, SaysWhetherPreferredMeetsTheAskedBandwidth) {
  request_.min_bandwidth_gbps = 100;
  EXPECT_THAT(Text(pair_), HasSubstr("asked bandwidth  100 GB/s, not met\n"));
  pair_.min_bandwidth_gbps = 100;
  EXPECT_THAT(Text(pair_), HasSubstr("asked bandwidth  100 GB/s, met\n"));
}

TEST_F(ReportTest, CountsPodsPerGpuWithThisOneIncluded) {
  request_.exclusivity = model::Exclusivity::kShared;
  availability_.sharers[1] = 2;
  EXPECT_THAT(Text(pair_), HasSubstr("pods per GPU     1: 1, 2: 3\n"));
}

TEST_F(ReportTest, AdmitsABoundedSearch) {
  pair_.is_exact = false;
  EXPECT_THAT(Text(pair_), HasSubstr("search           bounded: a better set may exist\n"));
}

TEST_F(ReportTest, GivesAMissInJsonWithItsReason) {
  const devices::Miss miss{.reason = devices::MissReason::kMustIncludeTaken,
                           .asked = 2,
                           .node_has = 4,
                           .offending = {GpuId(4)}};
  const auto value = json::ParseJson(JsonReport(situation_, miss));
  ASSERT_TRUE(value.ok()) << value.error();
  EXPECT_EQ(value->at("found"), false);
  EXPECT_EQ(value->at("reason"), "MustIncludeTaken");
  EXPECT_EQ(value->at("message").as_string(), ToString(miss));
  EXPECT_EQ(value->at("offending"), boost::json::value(boost::json::array{4}));
}

}  // namespace
}  // namespace gs::kubectl_gpu
