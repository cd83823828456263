// The scheduler as a process: watches feed the cycle, its commands go to the API server, and the
// answers come back. One thread runs the cycle; everything else hands it events.
#pragma once

#include <stop_token>
#include <string_view>

#include "adapters/http/client.h"
#include "adapters/kube/fence/fence_rules.h"
#include "adapters/runtime/log.h"
#include "base/result.h"
#include "core/commit/rules.h"
#include "programs/scheduler/options.h"

namespace gs::scheduler {

// What a test build changes and the product never does: no option reaches it.
struct TestSeams {
  commit::Rules rules;
  kube::FenceRules fence_rules;
  http::ClientHooks hooks;  // of all connections to the API server
};

// Until SIGTERM or SIGINT, which let what is in flight come to its end first. An error is why it
// had to stop before.
[[nodiscard]] Result<void> RunScheduler(const SchedulerOptions& options, std::string_view version,
                                        const runtime::Logger& log, const TestSeams& seams = {});

// The same for a process that has other work too: until it is told to stop.
[[nodiscard]] Result<void> RunSchedulerUntil(const std::stop_token& stop,
                                             const SchedulerOptions& options,
                                             std::string_view version, const runtime::Logger& log,
                                             const TestSeams& seams = {});

}  // namespace gs::scheduler
