// The status server: /health and /ready, for probes, and /metrics.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/http/server.h"
#include "adapters/runtime/io_threads.h"
#include "adapters/runtime/mutex.h"
#include "base/result.h"
#include "programs/scheduler/options.h"

namespace gs::scheduler {

// What probes ask. Written by the cycle's thread, read by the server's.
class Status {
 public:
  static constexpr std::string_view kFirst = "the API server has not answered yet";

  // Empty: ready.
  void SetNotReady(std::string why) {
    const runtime::MutexLock lock(mutex_);
    why_not_ready_ = std::move(why);
  }
  [[nodiscard]] std::string WhyNotReady() const {
    const runtime::MutexLock lock(mutex_);
    return why_not_ready_;
  }

 private:
  mutable runtime::Mutex mutex_;
  std::string why_not_ready_ GS_GUARDED_BY(mutex_) = std::string(kFirst);
};

// The text of /metrics.
using MetricsText = std::function<boost::asio::awaitable<std::string>()>;

// Serves until it is destroyed. `status` and what `metrics` refers to must outlive the threads.
[[nodiscard]] Result<std::unique_ptr<http::Server>> StartStatusServer(runtime::IoThreads& threads,
                                                                      const Listen& listen,
                                                                      const Status& status,
                                                                      MetricsText metrics);

}  // namespace gs::scheduler
