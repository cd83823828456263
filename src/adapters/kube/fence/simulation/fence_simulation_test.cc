// The promise, tried: generated schedules of delays, losses, crashes, pauses, deletions and edits,
// with several releases, against Commit and FenceSteps as they are shipped, and a checker that
// reads only what the API server stored. And the other way round: with any one rule switched off,
// the same checker must find a double allocation. Where chance does not find it in time,
// fence_stories_test.cc tells how it comes about.
//
// GS_SEED=n repeats a run, GS_SCHEDULES=n changes how many are tried.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kube/fence/simulation/checker.h"
#include "adapters/kube/fence/simulation/schedule.h"
#include "adapters/kube/fence/simulation/world.h"
#include "base/parse.h"

namespace gs::kube::simulation {
namespace {

std::int64_t FromEnvironment(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  return ParseInt64(text).value();
}

bool IsDouble(const std::optional<std::string>& wrong) {
  return wrong && wrong->starts_with("at revision");
}

// Pods run, and what runs may outlive them.
void AddAgents(Weights& weights) {
  weights.run_pod = 30;
  weights.fail_pod = weights.end_workload = 2;
  weights.agent_watch = weights.agent_look = weights.agent_write = 16;
  weights.watch_reports = 16;
}

// Every kind of trouble, in all proportions.
Schedule AnySchedule(std::uint64_t seed) {
  constexpr std::array<std::string_view, 7> kWishes{"x", "xs", "xsp", "cx", "cdxs", "sscp", "qxc"};
  Dice dice(seed);
  Schedule schedule;
  schedule.setup = {.processes = {1 + dice.Roll(3), 1 + dice.Roll(3)},
                    .has_one_name = dice.Roll(16) == 0,
                    .nodes = 1 + dice.Roll(2),
                    .gpus = 1 + dice.Roll(3),
                    .pods = 2 + dice.Roll(5),
                    .wishes = kWishes[static_cast<std::size_t>(dice.Roll(7))],
                    .minds_others = dice.Roll(2) == 0,
                    .was_upgraded = dice.Roll(2) == 0,
                    .was_binding = dice.Roll(4) == 0,
                    .has_late_bindings = dice.Roll(3) == 0,
                    .has_late_news = dice.Roll(3) == 0,
                    .is_timely = dice.Roll(3) == 0,
                    .stays_refusing = dice.Roll(2) == 0};
  Weights weights;
  weights.time_out = dice.Roll(8);
  weights.watch = 10 + dice.Roll(50);
  weights.wait = 1 + dice.Roll(12);
  weights.crash = dice.Roll(3);
  weights.pause = dice.Roll(4);
  weights.resign = dice.Roll(2);
  weights.start_release = 1 + dice.Roll(2);
  weights.end_release = dice.Roll(2);
  weights.rename_release = dice.Roll(2);
  weights.delete_lease = dice.Roll(3);
  weights.edit_lease = dice.Roll(2);
  weights.delete_fence = dice.Roll(2);
  weights.edit_fence = dice.Roll(2);
  weights.finish_pod = dice.Roll(3);
  weights.force_delete_pod = dice.Roll(3);
  weights.poke_pod = dice.Roll(3);
  // A pod that cannot be touched keeps its GPUs, and who does not look at others tries them for
  // ever.
  weights.refuse_touches = schedule.setup.minds_others ? dice.Roll(3) : 0;
  schedule.setup.has_agents = dice.Roll(2) == 0;
  if (schedule.setup.has_agents) AddAgents(weights);
  schedule.steps = RollSteps(dice, weights, static_cast<std::size_t>(60 + dice.Roll(440)));
  return schedule;
}

TEST(FenceSimulation, NoGpuIsGivenTwiceAndNoneIsLost) {
  const auto first = FromEnvironment("GS_SEED", 1);
  const auto count = FromEnvironment("GS_SCHEDULES", GS_DEFAULT_SCHEDULES);
  Tally tally;
  for (std::int64_t seed = first; seed < first + count; ++seed) {
    const Schedule schedule = AnySchedule(static_cast<std::uint64_t>(seed));
    if (!WhatGoesWrong(schedule, AllRules(), &tally)) continue;
    const Schedule small = Shrink(
        schedule, [](const Schedule& each) { return WhatGoesWrong(each, AllRules()).has_value(); });
    FAIL() << "seed " << seed << ": " << Explain(small, AllRules());
  }
  std::cout << "seeds " << first << " to " << first + count - 1 << ": " << tally.takeovers
            << " takeovers, " << tally.anew << " fences made, " << tally.listed
            << " entries listed, " << tally.dropped << " of silent releases dropped, "
            << tally.bound << " pods bound, " << tally.too_late << " Bindings too late, "
            << tally.touched << " touches, " << tally.refused << " refused, " << tally.leases
            << " writes of Leases, " << tally.left << " workloads that outlived their pods\n";
  // A schedule in which nothing happens proves nothing.
  EXPECT_GT(tally.takeovers, 3 * count);
  EXPECT_GT(tally.anew, count);
  EXPECT_GT(tally.listed, 2 * count);
  EXPECT_GT(tally.dropped, count / 50);
  EXPECT_GT(tally.bound, count);
  EXPECT_GT(tally.too_late, count / 10);
  EXPECT_GT(tally.touched, count / 2);
  EXPECT_GT(tally.refused, count / 50);
  EXPECT_GT(tally.leases, 2 * count);
  EXPECT_GT(tally.left, count / 50);
}

// Few pods, one GPU, Bindings that arrive late.
Schedule DirectedSchedule(std::uint64_t seed, const Setup& setup, const Weights& weights) {
  Dice dice(seed);
  Schedule schedule{.setup = setup, .steps = {}};
  schedule.setup.has_late_bindings = dice.Roll(4) != 0;
  schedule.steps = RollSteps(dice, weights, 200);
  return schedule;
}

Weights FewUsers() {
  Weights weights;
  weights.create_pod = weights.delete_pod = weights.force_delete_pod = weights.finish_pod = 0;
  weights.poke_pod = weights.relist = weights.crash = weights.delete_lease = 0;
  weights.start_release = 0;
  weights.time_out = 6;
  return weights;
}

struct Control {
  const char* name;
  AllRules rules;
  Setup setup;
  Weights weights;
};

void PrintTo(const Control& control, std::ostream* out) { *out << control.name; }

class WithoutARule : public testing::TestWithParam<Control> {};

// With all rules on, the same schedule must be harmless.
TEST_P(WithoutARule, ADoubleAllocationIsFound) {
  const Control& control = GetParam();
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    const Schedule schedule = DirectedSchedule(seed, control.setup, control.weights);
    const auto is_double = [&](const Schedule& each) {
      return IsDouble(WhatGoesWrong(each, control.rules));
    };
    if (!is_double(schedule)) continue;
    const Schedule small = Shrink(schedule, is_double);
    std::cout << "seed " << seed << ", in " << small.steps.size() << " steps\n";
    EXPECT_EQ(WhatGoesWrong(small, AllRules()), std::nullopt) << Explain(small, AllRules());
    return;
  }
  FAIL() << "none found";
}

std::vector<Control> Controls() {
  const Setup one{.processes = {2}, .pods = 2};
  const Setup two{.processes = {1, 1}, .pods = 2, .minds_others = false};
  Weights changing = FewUsers();
  changing.wait = 20;
  Weights deleting = changing;
  deleting.delete_fence = 2;
  Weights lagging = changing;
  lagging.watch = 12;
  Weights recreating = deleting;
  recreating.create_pod = recreating.delete_pod = 4;
  const Setup on_nodes{.processes = {2}, .pods = 2, .has_agents = true};
  Weights ending = FewUsers();
  AddAgents(ending);
  ending.force_delete_pod = 3;
  ending.crash = ending.relist = 2;
  return {{"listed", {.commit = {.listed = false}}, one, changing},
          {"rvpre", {.commit = {.rvpre = false}}, one, FewUsers()},
          {"touch", {.commit = {.touch = false}}, one, FewUsers()},
          {"settled", {.commit = {.settled = false}}, two, lagging},
          {"fresh", {.commit = {.fresh = false}}, one, lagging},
          {"resume", {.commit = {.resume = false}}, one, changing},
          {"touch_all", {.commit = {.touch_all = false}}, one, deleting},
          {"dead_touch", {.commit = {.dead_touch = false}}, two, changing},
          {"cas", {.fence = {.cas = false}}, one, changing},
          {"see_others", {.fence = {.see_others = false}}, two, FewUsers()},
          {"look_again", {.commit = {.look_again = false}}, two, lagging},
          {"touch_late", {.commit = {.touch_late = false}}, one, recreating},
          {"releasing", {.releasing = false}, on_nodes, ending},
          {"residue", {.residue = false}, on_nodes, ending},
          {"shown", {.shown = false}, on_nodes, ending},
          {"merged", {.fence = {.merged = false}}, two, lagging}};
}

Control ControlNamed(std::string_view name) {
  for (const Control& control : Controls()) {
    if (control.name == name) return control;
  }
  return {};
}

// The same schedules in which a pod that outlives its object is given away if a rule is missing.
TEST(FenceSimulation, WhatRunsKeepsItsGpus) {
  const auto count = FromEnvironment("GS_SCHEDULES", GS_DEFAULT_SCHEDULES) / 5;
  const Control nodes = ControlNamed("shown");
  for (std::int64_t seed = 1; seed <= count; ++seed) {
    const Schedule schedule =
        DirectedSchedule(static_cast<std::uint64_t>(seed), nodes.setup, nodes.weights);
    if (!WhatGoesWrong(schedule, AllRules())) continue;
    const Schedule small = Shrink(
        schedule, [](const Schedule& each) { return WhatGoesWrong(each, AllRules()).has_value(); });
    FAIL() << "seed " << seed << ": " << Explain(small, AllRules());
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, WithoutARule, testing::ValuesIn(Controls()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gs::kube::simulation
