// Verdict: what the last look found, for probes and Prometheus: /health and /metrics.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/config/values.h"
#include "adapters/http/server.h"
#include "adapters/metrics/registry.h"
#include "adapters/runtime/io_threads.h"
#include "adapters/runtime/mutex.h"
#include "base/result.h"
#include "programs/check/verify.h"

namespace gs::check {

class Verdict {
 public:
  explicit Verdict(std::string_view version);

  void Set(std::vector<Mismatch> found) GS_EXCLUDES(mutex_);
  // From any thread.
  [[nodiscard]] http::Response Answer(const http::Request& request) const GS_EXCLUDES(mutex_);

 private:
  metrics::Registry registry_;
  metrics::Gauges mismatches_;
  metrics::Counters looks_;
  mutable runtime::Mutex mutex_;
  std::vector<Mismatch> found_ GS_GUARDED_BY(mutex_);
};

// Serves until it is destroyed. `verdict` must outlive the threads.
[[nodiscard]] Result<std::unique_ptr<http::Server>> Serve(runtime::IoThreads& threads,
                                                          const config::Listen& listen,
                                                          const Verdict& verdict);

}  // namespace gs::check
