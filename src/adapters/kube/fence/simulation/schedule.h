// Schedule: what happens in which order, as a list of steps that mean something whatever is left
// out of it. So a schedule that breaks the promise can be made small by leaving out steps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace gs::kube::simulation {

enum class Action : std::uint8_t {
  kDeliver,  // a request arrives
  kTimeOut,  // a request is given up; it may still arrive
  kAnswer,   // an answer arrives
  kFence,    // the fence answers one process at once
  kWait,    // the same while its time passes, so that it renews, takes over, or finds others silent
  kWork,    // for one process everything goes well for a moment, but for Bindings that are late
  kWatch,   // a process is told what comes next
  kRelist,  // a process lists a kind again
  kPass,    // time passes, for all or for one
  kCrash,   // a process dies and starts again
  kPause,   // a process stops, without knowing
  kResume,
  kResign,         // a process hands over
  kStartRelease,   // its processes are started
  kEndRelease,     // its processes are killed, or go on as if nobody had told them
  kRenameRelease,  // the same, and others are started with another schedulerName
  kDeleteLease,    // a user deletes the Lease of a GPU
  kEditLease,      // or writes something else into it
  kDeleteFence,    // a user deletes the fence
  kEditFence,      // or takes a record out of it, or spoils it
  kCreatePod,
  kDeletePod,
  kForceDeletePod,
  kFinishPod,
  kPokePod,
  kRefuseTouches,  // a pod cannot be touched from now on, or can again
  kRunPod,         // a pod is started on its node
  kFailPod,        // somebody else than its kubelet says that it has ended
  kEndWorkload,    // what is left of a pod on its node ends
  kAgentWatch,     // the agent of a node is told what comes next
  kAgentLook,      // it looks at its node
  kAgentWrite,     // what it saw then is stored
  kWatchReports,   // a process is told what agents report
};

[[nodiscard]] std::string_view ToString(Action action);

// The numbers are taken modulo whatever there is to choose from.
struct Step {
  Action action = Action::kPass;
  std::uint16_t a = 0;
  std::uint16_t b = 0;
};

// How one run is set up.
struct Setup {
  std::vector<int> processes = {1, 1};  // of each release
  bool has_one_name = false;            // both releases have the same schedulerName
  int nodes = 1;
  int gpus = 1;  // of each node
  int pods = 2;
  std::string_view wishes = "x";   // of the pods, in turn, as Wish has them
  bool minds_others = true;        // what others list counts as taken
  bool was_upgraded = false;       // the version before left its election Leases, with empty lists
  bool was_binding = false;        // and one late Binding, listed there
  bool has_late_bindings = false;  // Bindings are given up and arrive last
  bool has_late_news = false;      // what the fence says is told to a process like what it watches
  // All clocks go alike, whoever has lost sends nothing, and no request takes longer than a minute.
  // Only then a pod that refuses its touch may be given up.
  bool is_timely = false;
  bool has_agents = false;      // that say what runs on nodes; else nothing does
  bool stays_refusing = false;  // pods that cannot be touched never can again
};

struct Schedule {
  Setup setup;
  std::vector<Step> steps;
};

// How often each action comes, relative to the others.
struct Weights {
  int deliver = 30;
  int time_out = 3;
  int answer = 30;
  int fence = 30;
  int wait = 6;
  int work = 10;
  int watch = 30;
  int relist = 1;
  int pass = 6;
  int crash = 1;
  int pause = 1;
  int resume = 2;
  int resign = 0;
  int start_release = 1;
  int end_release = 0;
  int rename_release = 0;
  int delete_lease = 1;
  int edit_lease = 0;
  int delete_fence = 0;
  int edit_fence = 0;
  int create_pod = 2;
  int delete_pod = 1;
  int force_delete_pod = 1;
  int finish_pod = 1;
  int poke_pod = 1;
  int refuse_touches = 0;
  int run_pod = 0;
  int fail_pod = 0;
  int end_workload = 0;
  int agent_watch = 0;
  int agent_look = 0;
  int agent_write = 0;
  int watch_reports = 0;
};

// Numbers from a seed, the same on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  [[nodiscard]] std::uint64_t Next();
  // 0 to sides - 1.
  [[nodiscard]] int Roll(int sides) {
    return static_cast<int>(Next() % static_cast<std::uint64_t>(sides));
  }

 private:
  std::uint64_t state_;
};

[[nodiscard]] std::vector<Step> RollSteps(Dice& dice, const Weights& weights, std::size_t count);

// Leaves out steps as long as it still fails.
template <class Steps>
[[nodiscard]] Steps ShrinkSteps(Steps steps, const std::function<bool(const Steps&)>& fails) {
  for (std::size_t chunk = std::max<std::size_t>(steps.size() / 2, 1);;) {
    bool is_smaller = false;
    for (std::size_t begin = 0; begin < steps.size();) {
      const auto first = steps.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto count = static_cast<std::ptrdiff_t>(std::min(chunk, steps.size() - begin));
      Steps less(steps.begin(), first);
      less.insert(less.end(), first + count, steps.end());
      if (fails(less)) {
        steps = std::move(less);
        is_smaller = true;
      } else {
        begin += chunk;
      }
    }
    if (chunk == 1 && !is_smaller) return steps;
    chunk = std::max<std::size_t>(chunk / 2, 1);
  }
}
[[nodiscard]] Schedule Shrink(Schedule schedule, const std::function<bool(const Schedule&)>& fails);

}  // namespace gs::kube::simulation
