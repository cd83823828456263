#include "programs/local/embedded_scheduler.h"

#include <boost/json/object.hpp>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "programs/scheduler/scheduler.h"

namespace gs::local {
namespace {

constexpr auto kPause = std::chrono::seconds(1);
// What the product writes itself lives here, Leases included.
constexpr std::string_view kNamespace = "default";

Result<scheduler::SchedulerOptions> OptionsFor(const std::filesystem::path& kubeconfig,
                                               std::uint16_t dashboard_port) {
  auto settings = scheduler::DefaultSettings();
  settings.at("cluster.kubeconfig").text = kubeconfig.string();
  settings.at("scheduler.namespace").text = std::string(kNamespace);
  auto options = scheduler::CheckSettings(settings);
  if (!options) return options;
  // Any free port: several may run, and nobody asks them.
  options->status = {.address = "127.0.0.1", .port = 0};
  options->api = scheduler::Listen{.address = "127.0.0.1", .port = dashboard_port};
  return options;
}

// Sleeps, unless it is told to stop.
void Wait(const std::stop_token& stop, Duration pause) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait_for(lock, stop, pause, [] { return false; });
}

}  // namespace

Result<std::unique_ptr<EmbeddedScheduler>> EmbeddedScheduler::Start(
    const std::filesystem::path& kubeconfig, std::uint16_t dashboard_port, std::string version,
    runtime::Logger log) {
  auto options = OptionsFor(kubeconfig, dashboard_port);
  if (!options) return std::move(options).error();
  return std::unique_ptr<EmbeddedScheduler>(
      new EmbeddedScheduler(*std::move(options), std::move(version), std::move(log)));
}

EmbeddedScheduler::EmbeddedScheduler(scheduler::SchedulerOptions options, std::string version,
                                     runtime::Logger log)
    : options_(std::move(options)),
      version_(std::move(version)),
      log_(std::move(log)),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

std::uint16_t EmbeddedScheduler::AwaitDashboard(Duration patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const runtime::MutexLock lock(mutex_);
  while (dashboard_port_ == 0) {
    if (!is_served_.WaitUntil(mutex_, deadline)) break;
  }
  return dashboard_port_;
}

void EmbeddedScheduler::NoteDashboard(std::uint16_t port) {
  const runtime::MutexLock lock(mutex_);
  dashboard_port_ = port;
  is_served_.NotifyAll();
}

void EmbeddedScheduler::Run(const std::stop_token& stop) {
  options_.api_listens = [this](std::uint16_t port) {
    options_.api->port = port;  // also when it starts again
    NoteDashboard(port);
  };
  while (!stop.stop_requested()) {
    const auto done = scheduler::RunSchedulerUntil(stop, options_, version_, log_);
    if (done) return;
    log_.Warning("the scheduler starts again", {{"why", ToString(done.error())}});
    Wait(stop, kPause);
  }
}

}  // namespace gs::local
