// The scheduler as a process: watches feed the cycle, its commands go to the API server, and the
// answers come back. One thread runs the cycle; everything else hands it events.
#pragma once

#include <string_view>

#include "adapters/runtime/log.h"
#include "base/result.h"
#include "programs/scheduler/options.h"

namespace gs::scheduler {

// Until SIGTERM or SIGINT, which let what is in flight come to its end first. An error is why it
// had to stop before.
[[nodiscard]] Result<void> RunScheduler(const SchedulerOptions& options, std::string_view version,
                                        const runtime::Logger& log);

}  // namespace gs::scheduler
