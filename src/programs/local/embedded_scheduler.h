// EmbeddedScheduler: gpu-scheduler in a thread of this process. It reaches the cluster as it would
// from outside, over TLS and with a certificate of its own; started again when it gives up, as a
// Deployment would.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "adapters/runtime/log.h"
#include "adapters/runtime/mutex.h"
#include "base/result.h"
#include "base/time.h"
#include "programs/scheduler/options.h"

namespace gs::local {

class EmbeddedScheduler {
 public:
  // The dashboard's port is any free one where `dashboard_port` is 0.
  [[nodiscard]] static Result<std::unique_ptr<EmbeddedScheduler>> Start(
      const std::filesystem::path& kubeconfig, std::uint16_t dashboard_port, std::string version,
      runtime::Logger log);
  // Lets what is in flight come to its end.
  ~EmbeddedScheduler() = default;
  EmbeddedScheduler(const EmbeddedScheduler&) = delete;
  EmbeddedScheduler& operator=(const EmbeddedScheduler&) = delete;
  EmbeddedScheduler(EmbeddedScheduler&&) = delete;
  EmbeddedScheduler& operator=(EmbeddedScheduler&&) = delete;

  // Where the dashboard is served, once it is; 0 if that takes too long.
  [[nodiscard]] std::uint16_t AwaitDashboard(Duration patience) GS_EXCLUDES(mutex_);

 private:
  EmbeddedScheduler(scheduler::SchedulerOptions options, std::string version, runtime::Logger log);
  void Run(const std::stop_token& stop);
  void NoteDashboard(std::uint16_t port) GS_EXCLUDES(mutex_);

  runtime::Mutex mutex_;
  runtime::Condition is_served_;
  std::uint16_t dashboard_port_ GS_GUARDED_BY(mutex_) = 0;
  scheduler::SchedulerOptions options_;  // the thread's
  const std::string version_;
  const runtime::Logger log_;
  std::jthread thread_;  // last, so that it ends before what it uses
};

}  // namespace gs::local
