// gpu-scheduler: see docs/gpu-scheduler.md.
#include <malloc.h>

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "programs/scheduler/options.h"
#include "programs/scheduler/record/replay.h"
#include "programs/scheduler/scheduler.h"

namespace {

constexpr int kExitFailed = 1;
constexpr int kExitBadInput = 2;

int Replay(const gs::scheduler::ReplayArguments& arguments) {
  std::ifstream file(arguments.file, std::ios::binary);
  if (!file) {
    std::cerr << "gpu-scheduler: cannot read " << arguments.file << "\n";
    return kExitBadInput;
  }
  const auto result = gs::scheduler::Replay(
      file, {.file = arguments.file, .until = arguments.until, .explain = arguments.explain});
  if (!result) {
    std::cerr << "gpu-scheduler: " << result.error() << "\n";
    return kExitBadInput;
  }
  std::cout << ToString(*result);
  return result->difference.empty() ? 0 : kExitFailed;
}

}  // namespace

int main(int argc, char** argv) {
  // Threads hand over what they have read, so an arena for each of a dozen would only leave gaps.
  mallopt(M_ARENA_MAX, 4);
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  const auto command = gs::scheduler::ParseCommandLine(args, GS_VERSION);
  if (!command) {
    std::cerr << "gpu-scheduler: " << command.error() << "\n";
    return kExitBadInput;
  }
  if (const auto* shown = std::get_if<gs::scheduler::ShowText>(&*command)) {
    std::cout << shown->text;
    return 0;
  }
  if (const auto* replay = std::get_if<gs::scheduler::ReplayArguments>(&*command)) {
    return Replay(*replay);
  }
  const auto& options = std::get<gs::scheduler::SchedulerOptions>(*command);
  const gs::runtime::Logger log({.level = options.log_level, .format = options.log_format});
  const auto done = gs::scheduler::RunScheduler(options, GS_VERSION, log);
  if (done) return 0;
  log.Error("stopped", {{"why", gs::ToString(done.error())}});
  return kExitFailed;
}
