#include "adapters/kube/fence/simulation/schedule.h"

#include <array>
#include <numeric>
#include <utility>

#include "base/text.h"

namespace gs::kube::simulation {
namespace {

constexpr std::array kActions{
    std::pair{Action::kDeliver, std::string_view("deliver")},
    std::pair{Action::kTimeOut, std::string_view("time out")},
    std::pair{Action::kAnswer, std::string_view("answer")},
    std::pair{Action::kFence, std::string_view("fence")},
    std::pair{Action::kWait, std::string_view("wait")},
    std::pair{Action::kWork, std::string_view("work")},
    std::pair{Action::kWatch, std::string_view("watch")},
    std::pair{Action::kRelist, std::string_view("relist")},
    std::pair{Action::kPass, std::string_view("pass")},
    std::pair{Action::kCrash, std::string_view("crash")},
    std::pair{Action::kPause, std::string_view("pause")},
    std::pair{Action::kResume, std::string_view("resume")},
    std::pair{Action::kResign, std::string_view("resign")},
    std::pair{Action::kStartRelease, std::string_view("start release")},
    std::pair{Action::kEndRelease, std::string_view("end release")},
    std::pair{Action::kRenameRelease, std::string_view("rename release")},
    std::pair{Action::kDeleteLease, std::string_view("delete Lease")},
    std::pair{Action::kEditLease, std::string_view("edit Lease")},
    std::pair{Action::kDeleteFence, std::string_view("delete fence")},
    std::pair{Action::kEditFence, std::string_view("edit fence")},
    std::pair{Action::kCreatePod, std::string_view("create pod")},
    std::pair{Action::kDeletePod, std::string_view("delete pod")},
    std::pair{Action::kForceDeletePod, std::string_view("force-delete pod")},
    std::pair{Action::kFinishPod, std::string_view("finish pod")},
    std::pair{Action::kPokePod, std::string_view("poke pod")},
    std::pair{Action::kRefuseTouches, std::string_view("refuse touches")},
    std::pair{Action::kRunPod, std::string_view("run pod")},
    std::pair{Action::kFailPod, std::string_view("fail pod")},
    std::pair{Action::kEndWorkload, std::string_view("end workload")},
    std::pair{Action::kAgentWatch, std::string_view("agent watches")},
    std::pair{Action::kAgentLook, std::string_view("agent looks")},
    std::pair{Action::kAgentWrite, std::string_view("agent writes")},
    std::pair{Action::kWatchReports, std::string_view("watch reports")},
};

// In the order of kActions.
std::array<int, kActions.size()> Listed(const Weights& weights) {
  return {weights.deliver,
          weights.time_out,
          weights.answer,
          weights.fence,
          weights.wait,
          weights.work,
          weights.watch,
          weights.relist,
          weights.pass,
          weights.crash,
          weights.pause,
          weights.resume,
          weights.resign,
          weights.start_release,
          weights.end_release,
          weights.rename_release,
          weights.delete_lease,
          weights.edit_lease,
          weights.delete_fence,
          weights.edit_fence,
          weights.create_pod,
          weights.delete_pod,
          weights.force_delete_pod,
          weights.finish_pod,
          weights.poke_pod,
          weights.refuse_touches,
          weights.run_pod,
          weights.fail_pod,
          weights.end_workload,
          weights.agent_watch,
          weights.agent_look,
          weights.agent_write,
          weights.watch_reports};
}

}  // namespace

std::string_view ToString(Action action) { return text::NameOf(kActions, action); }

// SplitMix64.
std::uint64_t Dice::Next() {
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31U);
}

std::vector<Step> RollSteps(Dice& dice, const Weights& weights, std::size_t count) {
  const auto listed = Listed(weights);
  const int total = std::accumulate(listed.begin(), listed.end(), 0);
  std::vector<Step> steps;
  while (steps.size() < count) {
    int roll = dice.Roll(total);
    std::size_t action = 0;
    while (roll >= listed[action]) roll -= listed[action++];
    const std::uint64_t numbers = dice.Next();
    steps.push_back({.action = kActions[action].first,
                     .a = static_cast<std::uint16_t>(numbers),
                     .b = static_cast<std::uint16_t>(numbers >> 16U)});
  }
  return steps;
}

Schedule Shrink(Schedule schedule, const std::function<bool(const Schedule&)>& fails) {
  schedule.steps = ShrinkSteps<std::vector<Step>>(std::move(schedule.steps),
                                                  [&](const std::vector<Step>& steps) {
                                                    return fails({schedule.setup, steps});
                                                  });
  return schedule;
}

}  // namespace gs::kube::simulation
