// Properties of the election in generated worlds. RC_PARAMS sets the number of cases and the seed.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "adapters/kube/election/test_world.h"

namespace gs::kube {
namespace {

using std::chrono::seconds;

[[maybe_unused]] const int kConfigured = setenv("RC_PARAMS", "max_success=1000", 0);

constexpr std::uint32_t kFates = 1 << 16;

// The second one leaves no slack between the deadline and the lease.
const std::vector<ElectionOptions> kOptions{
    {},
    {.lease = seconds(15), .renew_deadline = seconds(15) - Duration(1), .retry = seconds(2)},
    {.lease = seconds(8), .renew_deadline = seconds(7), .retry = seconds(3)}};

RC_GTEST_PROP(ElectionProperty, NeverTwoLeadersAndNoListIsLost, ()) {
  WorldPlan plan;
  plan.processes = *rc::gen::element<std::size_t>(2, 3);
  plan.options = *rc::gen::elementOf(kOptions);
  const auto length = *rc::gen::resize(100, rc::gen::inRange(0, 1200));
  plan.fates = *rc::gen::container<std::vector<std::uint32_t>>(
      static_cast<std::size_t>(length),
      rc::gen::resize(100, rc::gen::inRange<std::uint32_t>(0, kFates)));
  const WorldReport report = RunWorld(plan);
  RC_ASSERT(report.violation == "");
}

// Fates from a plain generator: enough where no smallest case is wanted.
WorldPlan PlanOf(std::uint32_t seed) {
  std::mt19937 random(seed);
  WorldPlan plan{
      .processes = 2 + seed % 2, .options = kOptions[seed % kOptions.size()], .fates = {}};
  for (int i = 0; i < 1200; ++i)
    plan.fates.push_back(static_cast<std::uint32_t>(random() % kFates));
  return plan;
}

int Violations(Preconditions preconditions) {
  int violations = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    WorldPlan plan = PlanOf(seed);
    plan.preconditions = preconditions;
    if (!RunWorld(plan).violation.empty()) ++violations;
  }
  return violations;
}

TEST(ElectionWorld, NoticesAServerThatIgnoresTheVersion) {
  EXPECT_EQ(Violations(Preconditions::kChecked), 0);
  EXPECT_GT(Violations(Preconditions::kVersionIgnored), 0);
}

TEST(ElectionWorld, NoticesAServerThatIgnoresTheUid) {
  EXPECT_GT(Violations(Preconditions::kUidIgnored), 0);
}

TEST(ElectionWorld, SomebodyLeadsAndListsWhenNothingHappens) {
  const WorldReport report = RunWorld({.processes = 3, .options = {}, .fates = {}});
  EXPECT_EQ(report.violation, "");
  EXPECT_EQ(report.wins, 1);
  EXPECT_GT(report.listed, 100);
  EXPECT_TRUE(report.has_leader);
}

TEST(ElectionWorld, LeadershipMovesOnWhenMuchHappens) {
  int wins = 0;
  int listed = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const WorldReport report = RunWorld(PlanOf(seed));
    EXPECT_EQ(report.violation, "") << seed;
    wins += report.wins;
    listed += report.listed;
  }
  EXPECT_GT(wins, 200);
  EXPECT_GT(listed, 500);
}

}  // namespace
}  // namespace gs::kube
