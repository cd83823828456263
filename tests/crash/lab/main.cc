// gs-scheduler-lab: gpu-scheduler with what only a test may have: rules of the promise switched
// off, and a process that stops or kills itself in the middle of a commit. Never shipped.
#include <iostream>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "adapters/runtime/log.h"
#include "programs/scheduler/options.h"
#include "programs/scheduler/scheduler.h"
#include "tests/crash/lab/lab_options.h"

namespace {

constexpr int kExitFailed = 1;
constexpr int kExitBadInput = 2;

int Refuse(const gs::Error& error) {
  std::cerr << "gs-scheduler-lab: " << error << "\n";
  return kExitBadInput;
}

int Run(const gs::crash::LabOptions& lab, gs::scheduler::SchedulerOptions options) {
  if (lab.forget_after) options.election.forget_after = *lab.forget_after;
  const auto traps =
      std::make_shared<gs::crash::Traps>(options.name, lab.traps, gs::crash::SpringForReal);
  const gs::runtime::Logger log({.level = options.log_level, .format = options.log_format});
  const auto done = gs::scheduler::RunScheduler(options, GS_VERSION "-lab", log,
                                                {.rules = lab.rules,
                                                 .fence_rules = lab.fence_rules,
                                                 .hooks = gs::crash::Traps::HooksOf(traps)});
  if (done) return 0;
  log.Error("stopped", {{"why", gs::ToString(done.error())}});
  return kExitFailed;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  const auto lab = gs::crash::ParseLabOptions(args);
  if (!lab) return Refuse(lab.error());
  const auto command = gs::scheduler::ParseCommandLine(lab->others, GS_VERSION);
  if (!command) return Refuse(command.error());
  if (const auto* shown = std::get_if<gs::scheduler::ShowText>(&*command)) {
    std::cout << gs::crash::LabHelp() << "\n" << shown->text;
    return 0;
  }
  return Run(*lab, std::get<gs::scheduler::SchedulerOptions>(*command));
}
