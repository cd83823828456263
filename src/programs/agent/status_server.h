// The status server: /health, for probes, and /metrics.
#pragma once

#include <memory>

#include "adapters/config/values.h"
#include "adapters/http/server.h"
#include "adapters/runtime/io_threads.h"
#include "base/result.h"
#include "programs/agent/agent_metrics.h"

namespace gs::agent {

// Serves until it is destroyed. `metrics` must outlive the threads.
[[nodiscard]] Result<std::unique_ptr<http::Server>> StartStatusServer(runtime::IoThreads& threads,
                                                                      const config::Listen& listen,
                                                                      const AgentMetrics& metrics);

}  // namespace gs::agent
