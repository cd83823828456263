// How a GPU is given twice when a rule is left out that chance hardly ever needs: told step by
// step, once with the rule and once without it.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "adapters/kube/fence/simulation/checker.h"
#include "adapters/kube/fence/simulation/world.h"

namespace gs::kube::simulation {
namespace {

using std::chrono::seconds;

// One GPU. Bindings arrive when the story says so.
Setup OneRelease() { return {.processes = {2}, .pods = 2, .has_late_bindings = true}; }
Setup TwoReleases() {
  return {.processes = {1, 1}, .pods = 2, .minds_others = false, .has_late_bindings = true};
}

void Do(World& world, Action action, int a) {
  world.Do({.action = action, .a = static_cast<std::uint16_t>(a)});
}

// So long that a release that writes nothing is silent, and its leader has lost.
void WaitLong(World& world, std::size_t process) {
  for (int i = 0; i < 5; ++i) world.Wait(process, seconds(2));
}

// Pods are decided in the order of their UIDs, which are u1, u2, ..., u10.
void MakeWithLowUid(World& world, int pod) {
  for (int i = 0; i < 10; ++i) {
    Do(world, Action::kForceDeletePod, pod);
    Do(world, Action::kCreatePod, pod);
  }
}

// Both releases lead before there are pods, so that nothing is touched for want of a list.
void LeadBoth(World& world) {
  for (const int pod : {0, 1}) Do(world, Action::kForceDeletePod, pod);
  for (const int process : {0, 1, 0}) world.Work(static_cast<std::size_t>(process), 5);
  for (const int pod : {0, 1}) Do(world, Action::kCreatePod, pod);
}

// The other release has bound x1 and fallen silent; this one is told of pods too late to know.
void SilentReleaseHasBound(World& world) {
  LeadBoth(world);
  world.Work(1, 3);
  world.Work(0, 3);
  world.ArriveUnheard(1, "bind default/x1");
  WaitLong(world, 0);
  world.Arrive(0, "touch default/x1");
  WaitLong(world, 0);
  world.Arrive(0, "bind default/x0");
}

// The other release comes back while this one takes its entry off, and lists its pod again.
void SilentReleaseComesBack(World& world) {
  LeadBoth(world);
  world.Work(1, 3);
  world.Work(0, 3);
  WaitLong(world, 0);
  world.Arrive(0, "touch default/x1");
  world.Arrive(1, "bind default/x1");
  world.Work(1, 3);
  world.Wait(1, seconds(1));
  world.Work(1, 3);
  WaitLong(world, 0);
  world.Work(0, 3);
  world.Arrive(0, "bind default/x0");
  world.Arrive(1, "bind default/x1");
}

// The fence is made anew after x1 was bound. Whoever leads then has a list of pods that is being
// told, in which x0 comes before x1.
void ViewFromBeforeTheFence(World& world) {
  Do(world, Action::kForceDeletePod, 0);
  world.Work(0, 3);
  world.Work(1, 1);
  world.Arrive(0, "bind default/x1");
  world.Work(0, 3);
  Do(world, Action::kDeleteFence, 0);
  MakeWithLowUid(world, 0);
  world.Wait(0, seconds(3));
  Do(world, Action::kWork, 0);
  world.Wait(0, seconds(1));
  world.Work(0, 6);
  Do(world, Action::kRelist, 1);
  Do(world, Action::kWatch, 1);
  WaitLong(world, 1);
  world.Arrive(1, "bind default/x0");
}

// A pod is made again while an old view still shows the one that had its name before.
void NamesakeInAnOldView(World& world) {
  Do(world, Action::kForceDeletePod, 1);
  world.Work(0, 3);
  world.Arrive(0, "bind default/x0");
  world.Work(0, 3);
  world.Work(1, 1);
  Do(world, Action::kForceDeletePod, 0);
  Do(world, Action::kCreatePod, 0);
  world.Work(0, 3);
  MakeWithLowUid(world, 1);
  WaitLong(world, 1);
  for (int i = 0; i < 20; ++i) world.Do({.action = Action::kWatch, .a = 1, .b = 3});
  WaitLong(world, 1);
  world.Arrive(1, "bind default/x1");
  world.Arrive(0, "bind default/x0");
}

// A release that has left nothing behind makes the fence anew, while another one's Binding is on
// its way.
void AnotherMakesTheFenceAnew(World& world) {
  world.Work(0, 4);
  Do(world, Action::kDeleteFence, 0);
  world.Work(1, 6);
  world.Arrive(1, "bind default/x1");
  world.Arrive(0, "bind default/x0");
}

struct Story {
  const char* name;
  AllRules without;
  Setup setup;
  std::function<void(World&)> tell;
};

void PrintTo(const Story& story, std::ostream* out) { *out << story.name; }

std::optional<std::string> Outcome(const Story& story, const AllRules& rules, std::string& trace) {
  World world(story.setup, rules);
  world.KeepTrace();
  story.tell(world);
  const bool is_at_rest = world.ComeToRest();
  if (rules.commit == commit::Rules() && rules.fence == FenceRules()) EXPECT_TRUE(is_at_rest);
  for (const std::string& line : world.trace()) trace += "\n  " + line;
  return FindDoubleAllocation(world.server(), world.cluster());
}

class FenceStory : public testing::TestWithParam<Story> {};

TEST_P(FenceStory, EndsBadlyOnlyWithoutTheRule) {
  std::string with;
  EXPECT_EQ(Outcome(GetParam(), AllRules(), with), std::nullopt) << with;
  std::string without;
  EXPECT_NE(Outcome(GetParam(), GetParam().without, without), std::nullopt) << without;
}

std::vector<Story> Stories() {
  Setup upgraded = TwoReleases();
  upgraded.was_upgraded = true;
  return {
      {"unsettled", {.fence = {.unsettled = false}}, upgraded, AnotherMakesTheFenceAnew},
      {"dead_settled", {.commit = {.dead_settled = false}}, TwoReleases(), SilentReleaseHasBound},
      {"unchanged", {.fence = {.unchanged = false}}, TwoReleases(), SilentReleaseComesBack},
      {"mark_settled", {.commit = {.mark_settled = false}}, OneRelease(), ViewFromBeforeTheFence},
      {"uid", {.commit = {.uid = false}}, OneRelease(), NamesakeInAnOldView}};
}

INSTANTIATE_TEST_SUITE_P(Rules, FenceStory, testing::ValuesIn(Stories()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gs::kube::simulation
