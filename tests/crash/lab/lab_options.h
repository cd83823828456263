// What gs-scheduler-lab takes besides the options of gpu-scheduler.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/kube/fence/fence_rules.h"
#include "base/result.h"
#include "base/time.h"
#include "core/commit/rules.h"
#include "tests/crash/lab/traps.h"

namespace gs::crash {

struct LabOptions {
  commit::Rules rules;
  kube::FenceRules fence_rules;
  std::vector<Trap> traps;
  std::optional<Duration> forget_after;  // in place of kube::FenceOptions::forget_after
  std::vector<std::string> others;       // for the scheduler
};

// `args` does not have the program's name.
[[nodiscard]] Result<LabOptions> ParseLabOptions(const std::vector<std::string>& args);
[[nodiscard]] std::string LabHelp();

}  // namespace gs::crash
