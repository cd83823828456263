// The configuration file: YAML of apiVersion gpu-scheduler/v1, kind SchedulerConfig, with one map
// per part of the settings. Only names, kinds of values and places are judged here; what a value
// may be is the same for files and flags, and judged where both meet.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "programs/scheduler/settings.h"

namespace gs::scheduler {

// What the text sets goes into `settings`. `file` is how refusals call it.
[[nodiscard]] Result<void> ReadConfigText(std::string_view text, const std::string& file,
                                          WrittenSettings& settings);
[[nodiscard]] Result<void> ReadConfigFile(const std::string& file, WrittenSettings& settings);

// The same settings as a file.
[[nodiscard]] std::string PrintConfig(const WrittenSettings& settings);

}  // namespace gs::scheduler
