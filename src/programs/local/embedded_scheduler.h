// EmbeddedScheduler: gpu-scheduler in a thread of this process. It reaches the cluster as it would
// from outside, over TLS and with a certificate of its own; started again when it gives up, as a
// Deployment would.
#pragma once

#include <boost/json/value.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "adapters/runtime/log.h"
#include "base/result.h"
#include "programs/scheduler/options.h"

namespace gs::local {

// The Lease that the chart makes for it. A scheduler that finds none has to wait, for somebody may
// have led until it was deleted.
[[nodiscard]] boost::json::value FreeElectionLease();

class EmbeddedScheduler {
 public:
  [[nodiscard]] static Result<std::unique_ptr<EmbeddedScheduler>> Start(
      const std::filesystem::path& kubeconfig, std::string version, runtime::Logger log);
  // Lets what is in flight come to its end.
  ~EmbeddedScheduler() = default;
  EmbeddedScheduler(const EmbeddedScheduler&) = delete;
  EmbeddedScheduler& operator=(const EmbeddedScheduler&) = delete;
  EmbeddedScheduler(EmbeddedScheduler&&) = delete;
  EmbeddedScheduler& operator=(EmbeddedScheduler&&) = delete;

 private:
  EmbeddedScheduler(scheduler::SchedulerOptions options, std::string version, runtime::Logger log);
  void Run(const std::stop_token& stop);

  const scheduler::SchedulerOptions options_;
  const std::string version_;
  const runtime::Logger log_;
  std::jthread thread_;  // last, so that it ends before what it uses
};

}  // namespace gs::local
