// The status server: /health and /ready, for probes.
#pragma once

#include <atomic>
#include <memory>

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

// Serves until it is destroyed. `status` must outlive the threads.
[[nodiscard]] Result<std::unique_ptr<http::Server>> StartStatusServer(runtime::IoThreads& threads,
                                                                      const Listen& listen,
                                                                      const Status& status);

}  // namespace gs::scheduler
