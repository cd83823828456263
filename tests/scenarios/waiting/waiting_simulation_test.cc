// Nobody waits in vain: random histories of a small cluster in virtual time, with the scheduler as
// it is shipped (cache, pending, decide, commit), the fence, late news, lost answers and another
// release; its backstop is off. in_vain.h says what is asked of it. And the other way round: with
// any one reason to wake up switched off, somebody must be found who waits in vain.
//
// GS_SEED=n repeats a run, GS_SCHEDULES=n changes how many are tried.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <ostream>
#include <string>
#include <vector>

#include "base/parse.h"
#include "tests/scenarios/waiting/history.h"
#include "tests/scenarios/waiting/world.h"

namespace gs::scenarios::waiting {
namespace {

using cycle::WakeRules;

std::int64_t FromEnvironment(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : ParseInt64(text).value();
}

History HistoryOf(std::uint64_t seed, const Weights& weights) {
  Dice dice(seed);
  return Roll(dice, weights, static_cast<std::size_t>(20 + dice.Roll(100)));
}

// Of any kind; of few kinds at a time, so that it comes often enough to something; or with much
// time, so that nodes are kept for those who have waited long.
Weights AnyWeights(std::uint64_t seed) {
  Dice dice(~seed);
  const int mood = dice.Roll(4);
  if (mood == 0) {
    return {{Action::kCreatePod, 30}, {Action::kEndPod, 6}, {Action::kDeletePod, 3},
            {Action::kSettle, 20},    {Action::kRest, 5},   {Action::kWait, 6}};
  }
  Weights weights = AllActions();
  if (mood == 1) return weights;
  for (auto& [action, weight] : weights) weight *= dice.Roll(3);
  weights[Action::kCreatePod] = 30;
  weights[Action::kRest] += 5;
  return weights;
}

History Smallest(const History& history, const WakeRules& wakes) {
  return kube::simulation::ShrinkSteps<History>(
      history, [&](const History& each) { return !WhatGoesWrong(each, wakes).empty(); });
}

TEST(WaitingSimulation, NobodyWaitsInVain) {
  const auto first = FromEnvironment("GS_SEED", 1);
  const auto count = FromEnvironment("GS_SCHEDULES", GS_DEFAULT_SCHEDULES);
  Tally tally;
  for (std::int64_t seed = first; seed < first + count; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    const History history = HistoryOf(number, AnyWeights(number));
    if (WhatGoesWrong(history, {}, &tally).empty()) continue;
    FAIL() << "seed " << seed << ": " << Explain(Smallest(history, {}), {});
  }
  std::cout << "seeds " << first << " to " << first + count - 1 << ": " << tally.runs
            << " runs, in " << tally.slept << " somebody slept, in " << tally.reserved
            << " a node was kept, " << tally.rests << " rests, " << tally.bound << " pods bound\n";
  // A history in which nobody waits proves nothing.
  EXPECT_GT(tally.slept, 15 * count);
  EXPECT_GT(tally.reserved, count / 2);
  EXPECT_GT(tally.rests, 5 * count);
  EXPECT_GT(tally.bound, 3 * count);
}

struct Control {
  const char* name;
  bool WakeRules::*rule;
  std::vector<Action> actions;  // that the rule is about
};

void PrintTo(const Control& control, std::ostream* out) { *out << control.name; }

class WithoutAReason : public testing::TestWithParam<Control> {};

// With all of them on, the same history must be harmless.
TEST_P(WithoutAReason, SomebodyWaitsInVain) {
  const Control& control = GetParam();
  WakeRules wakes;
  wakes.*control.rule = false;
  for (std::uint64_t seed = 1; seed <= 5'000; ++seed) {
    const History history = HistoryOf(seed, Only(control.actions));
    if (WhatGoesWrong(history, wakes).empty()) continue;
    const History small = Smallest(history, wakes);
    std::cout << "seed " << seed << ", in " << small.size()
              << " steps: " << WhatGoesWrong(small, wakes) << "\n";
    EXPECT_EQ(WhatGoesWrong(small, {}), "") << Explain(small, {});
    return;
  }
  FAIL() << "nobody was found";
}

std::vector<Control> Controls() {
  using A = Action;
  return {
      {"node_added", &WakeRules::node_changed, {A::kAddNode, A::kRemoveNode}},
      {"node_uncordoned", &WakeRules::node_changed, {A::kCordonNode}},
      {"taint_gone", &WakeRules::node_changed, {A::kTaintNode}},
      {"label_changed", &WakeRules::node_changed, {A::kRelabelNode}},
      {"node_resized", &WakeRules::node_changed, {A::kResizeNode}},
      {"node_left", &WakeRules::node_left, {A::kRemoveNode}},
      {"gpu_healthy", &WakeRules::machine_changed, {A::kReport}},
      {"agent_removed", &WakeRules::machine_changed, {A::kReport, A::kRemoveAgent}},
      {"pod_ended", &WakeRules::room_freed, {A::kEndPod}},
      {"pod_deleted", &WakeRules::room_freed, {A::kDeletePod}},
      {"pod_resized", &WakeRules::room_freed, {A::kResizePod}},
      {"other_release_done", &WakeRules::gpus_freed, {A::kListForOther, A::kResolveOther}},
      {"nothing_left",
       &WakeRules::release_ended,
       {A::kCreateForeignPod, A::kStartPod, A::kForcePod, A::kWait}},
      {"claim_changed", &WakeRules::claim_changed, {A::kPutClaim, A::kRemoveClaim}},
      {"volume_there", &WakeRules::storage_changed, {A::kPutVolume, A::kPutVolumeClaim}},
      {"volume_bound", &WakeRules::storage_changed, {A::kBindVolume}},
      {"company_came", &WakeRules::company_changed, {A::kCreateForeignPod}},
      {"company_relabelled", &WakeRules::company_changed, {A::kRelabelPod}},
      {"others_distance",
       &WakeRules::others_distance,
       {A::kCreateForeignPod, A::kCreatePod, A::kSettle}},
      {"namespace_relabelled", &WakeRules::namespaces_changed, {A::kLabelNamespace}},
      {"rejection_over", &WakeRules::rejection_over, {A::kEndPod, A::kWait}},
      {"reservation_over",
       &WakeRules::reservation_over,
       {A::kDeletePod, A::kWait, A::kSettle, A::kCreatePod}},
  };
}

INSTANTIATE_TEST_SUITE_P(Reasons, WithoutAReason, testing::ValuesIn(Controls()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gs::scenarios::waiting
