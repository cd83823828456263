// The status server: /health and /ready, for probes, and /metrics.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "adapters/http/server.h"
#include "adapters/runtime/io_threads.h"
#include "base/result.h"
#include "programs/scheduler/options.h"

namespace gs::scheduler {

// What probes ask. Written by the cycle's thread, read by the server's.
struct Status {
  std::atomic<bool> is_synced = false;
  std::atomic<bool> is_leading = false;
};

// The text of /metrics.
using MetricsText = std::function<boost::asio::awaitable<std::string>()>;

// Serves until it is destroyed. `status` and what `metrics` refers to must outlive the threads.
[[nodiscard]] Result<std::unique_ptr<http::Server>> StartStatusServer(runtime::IoThreads& threads,
                                                                      const Listen& listen,
                                                                      const Status& status,
                                                                      MetricsText metrics);

}  // namespace gs::scheduler
