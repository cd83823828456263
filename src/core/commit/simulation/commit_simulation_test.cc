// The promise, tried: generated schedules of delays, losses, crashes, pauses and deletions, against
// Commit as it is shipped, and a checker that reads only what the API server stored. And the other
// way round: with any one rule switched off, the same checker must find a double allocation. Where
// chance does not find it in time, commit_stories_test.cc tells how it comes about.
//
// GS_SEED=n repeats a run, GS_SCHEDULES=n changes how many are tried.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/parse.h"
#include "core/commit/simulation/checker.h"
#include "core/commit/simulation/schedule.h"
#include "core/commit/simulation/world.h"

namespace gs::commit::simulation {
namespace {

std::int64_t FromEnvironment(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  return ParseInt64(text).value();
}

bool IsDouble(const std::optional<std::string>& wrong) {
  return wrong && wrong->find("belongs to") != std::string::npos;
}

// Every kind of trouble, in all proportions.
Schedule AnySchedule(std::uint64_t seed) {
  Dice dice(seed);
  Schedule schedule;
  schedule.setup = {.replicas = 2 + dice.Roll(2),
                    .gpus = 1 + dice.Roll(3),
                    .pods = 2 + dice.Roll(4),
                    .minds_leases = dice.Roll(2) == 0,
                    .has_late_bindings = dice.Roll(3) == 0};
  Weights weights;
  weights.time_out = dice.Roll(8);
  weights.watch = 10 + dice.Roll(50);
  weights.crash = dice.Roll(3);
  weights.pause = dice.Roll(4);
  weights.campaign = 1 + dice.Roll(6);
  weights.delete_lease = dice.Roll(5);
  weights.delete_election = dice.Roll(2);
  weights.finish_pod = dice.Roll(3);
  weights.force_delete_pod = dice.Roll(3);
  weights.poke_pod = dice.Roll(3);
  schedule.steps = RollSteps(dice, weights, static_cast<std::size_t>(60 + dice.Roll(340)));
  return schedule;
}

TEST(CommitSimulation, NoGpuIsGivenTwiceAndNoneIsLost) {
  const auto first = FromEnvironment("GS_SEED", 1);
  const auto count = FromEnvironment("GS_SCHEDULES", GS_DEFAULT_SCHEDULES);
  Tally tally;
  for (std::int64_t seed = first; seed < first + count; ++seed) {
    const Schedule schedule = AnySchedule(static_cast<std::uint64_t>(seed));
    if (!WhatGoesWrong(schedule, Rules(), &tally)) continue;
    const Schedule small = Shrink(
        schedule, [](const Schedule& each) { return WhatGoesWrong(each, Rules()).has_value(); });
    FAIL() << "seed " << seed << ": " << Explain(small, Rules());
  }
  std::cout << "seeds " << first << " to " << first + count - 1 << ": " << tally.takeovers
            << " takeovers, " << tally.bound << " pods bound, " << tally.too_late
            << " Bindings too late, " << tally.touched << " touches, " << tally.locked
            << " writes of locks\n";
  // A schedule in which nothing happens proves nothing.
  EXPECT_GT(tally.takeovers, 2 * count);
  EXPECT_GT(tally.bound, count);
  EXPECT_GT(tally.too_late, count / 10);
  EXPECT_GT(tally.touched, count / 2);
  EXPECT_GT(tally.locked, 2 * count);
}

// Two pods, one GPU, Bindings that arrive late, leaders that change often.
Schedule DirectedSchedule(std::uint64_t seed, const Weights& weights) {
  Dice dice(seed);
  Schedule schedule;
  schedule.setup = {.replicas = 2,
                    .gpus = 1,
                    .pods = 2,
                    .minds_leases = false,
                    .has_late_bindings = dice.Roll(4) != 0};
  schedule.steps = RollSteps(dice, weights, 160);
  return schedule;
}

Weights FewUsers() {
  Weights weights;
  weights.create_pod = weights.delete_pod = weights.force_delete_pod = weights.finish_pod = 0;
  weights.poke_pod = weights.relist = weights.crash = 0;
  weights.time_out = 6;
  return weights;
}

struct Control {
  const char* name;
  Rules rules;
  Weights weights;
};

void PrintTo(const Control& control, std::ostream* out) { *out << control.name; }

class WithoutARule : public testing::TestWithParam<Control> {};

// With all rules on, the same schedule must be harmless.
TEST_P(WithoutARule, ADoubleAllocationIsFound) {
  const Control& control = GetParam();
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    const Schedule schedule = DirectedSchedule(seed, control.weights);
    const auto is_double = [&](const Schedule& each) {
      return IsDouble(WhatGoesWrong(each, control.rules));
    };
    if (!is_double(schedule)) continue;
    const Schedule small = Shrink(schedule, is_double);
    std::cout << "seed " << seed << ", in " << small.steps.size() << " steps\n";
    EXPECT_EQ(WhatGoesWrong(small, Rules()), std::nullopt) << Explain(small, Rules());
    return;
  }
  FAIL() << "none found";
}

std::vector<Control> Controls() {
  Weights changing = FewUsers();
  changing.campaign = 6;
  changing.renew = 1;
  Weights deleting = changing;
  deleting.delete_election = 2;
  Weights lagging = changing;
  lagging.watch = 12;
  return {{"listed", {.listed = false}, changing},
          {"rvpre", {.rvpre = false}, FewUsers()},
          {"touch", {.touch = false}, FewUsers()},
          {"touch_all", {.touch_all = false}, deleting},
          {"fresh", {.fresh = false}, lagging}};
}

INSTANTIATE_TEST_SUITE_P(Rules, WithoutARule, testing::ValuesIn(Controls()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gs::commit::simulation
