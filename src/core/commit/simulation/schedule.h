// Schedule: what happens in which order, as a list of steps that mean something whatever is left
// out of it. So a schedule that breaks the promise can be made small by leaving out steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace gs::commit::simulation {

enum class Action : std::uint8_t {
  kDeliver,  // a request arrives
  kTimeOut,  // a request is given up; it may still arrive
  kAnswer,   // an answer arrives
  kWatch,    // a process is told what comes next
  kRelist,   // a process lists a kind again
  kPass,     // time passes
  kCrash,    // a process dies and starts again
  kPause,    // a process stops, without knowing
  kResume,
  kCampaign,        // a process takes over
  kRenew,           // a leader writes the election Lease
  kDeleteLease,     // a user deletes the Lease of a GPU
  kDeleteElection,  // a user deletes the election Lease, once
  kCreatePod,
  kDeletePod,
  kForceDeletePod,
  kFinishPod,
  kPokePod,
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
  int replicas = 2;
  int gpus = 1;
  int pods = 2;
  bool minds_leases = true;
  bool has_late_bindings = false;  // Bindings are given up and arrive last
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
  int watch = 30;
  int relist = 1;
  int pass = 6;
  int crash = 1;
  int pause = 1;
  int resume = 2;
  int campaign = 3;
  int renew = 2;
  int delete_lease = 2;
  int delete_election = 0;
  int create_pod = 2;
  int delete_pod = 1;
  int force_delete_pod = 1;
  int finish_pod = 1;
  int poke_pod = 1;
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
[[nodiscard]] Schedule Shrink(Schedule schedule, const std::function<bool(const Schedule&)>& fails);

}  // namespace gs::commit::simulation
