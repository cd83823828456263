#include "programs/local/status_command.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is not in <csignal>

#include <boost/json/array.hpp>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "adapters/json/object_reader.h"
#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/runtime/clock.h"
#include "base/parse.h"
#include "core/model/names.h"
#include "programs/local/api_connection.h"
#include "programs/local/running_cluster.h"

namespace gs::local {
namespace {

using std::chrono::seconds;

constexpr seconds kEndTimeout{40};
constexpr std::chrono::milliseconds kLookAgain{20};

Result<RunningCluster> RequireRunning(const std::string& name) {
  const auto folder = StateFolder();
  if (!folder) return folder.error();
  auto found = FindRunning(*folder, name);
  if (!found) return std::move(found).error();
  if (!*found) {
    return Error(ErrorKind::kNotFound, "no cluster " + json::Quoted(name) + " is running")
        .Advise("gpu-local up starts one");
  }
  return **std::move(found);
}

struct Figures {
  std::size_t nodes = 0;
  std::int64_t gpus = 0;
  std::size_t pods = 0;
  std::size_t running_pods = 0;
  std::size_t held_gpus = 0;
};

std::int64_t GpusOf(const boost::json::value& node) {
  const auto text =
      localcluster::Text(node, {"status", "capacity", model::names::kGpuResource}, "0");
  return ParseInt64(text).ok() ? *ParseInt64(text) : 0;
}

Result<Figures> Count(ApiConnection& api) {
  const auto nodes = api.List("/api/v1/nodes");
  if (!nodes) return nodes.error();
  const auto pods = api.List("/api/v1/pods");
  if (!pods) return pods.error();
  const auto locks = api.List("/apis/coordination.k8s.io/v1/leases?labelSelector=" +
                              std::string(model::names::kManagedLabel) + "%3Dtrue");
  if (!locks) return locks.error();
  Figures figures{.nodes = nodes->size(), .pods = pods->size()};
  for (const auto& node : *nodes) figures.gpus += GpusOf(node);
  for (const auto& pod : *pods) {
    figures.running_pods += localcluster::Text(pod, {"status", "phase"}) == "Running" ? 1 : 0;
  }
  for (const auto& lock : *locks) {
    figures.held_gpus +=
        localcluster::AnnotationOf(lock, model::names::kGpuAnnotation).empty() ? 0 : 1;
  }
  return figures;
}

std::string Print(const RunningCluster& cluster, const Figures& figures, TimePoint now) {
  const auto uptime = std::chrono::duration_cast<seconds>(now - cluster.started);
  return "version     " + cluster.version + "\nserver      " + cluster.server + "\nkubeconfig  " +
         cluster.kubeconfig + "\nprocess     " + std::to_string(cluster.process) +
         "\nlog         " + (cluster.log.empty() ? "standard error" : cluster.log) +
         "\nuptime      " + PrintDuration(uptime) + "\nscheduler   " +
         (cluster.is_bare ? "not inside (--bare)" : "inside") +
         (cluster.dashboard.empty() ? "" : "\ndashboard   " + cluster.dashboard) +
         "\nnodes       " + std::to_string(figures.nodes) + " (" + cluster.nodes +
         ")\npods        " + std::to_string(figures.pods) + ", " +
         std::to_string(figures.running_pods) + " running\nGPUs held   " +
         std::to_string(figures.held_gpus) + " of " + std::to_string(figures.gpus) + "\n";
}

}  // namespace

Result<std::string> ShowStatus(const StatusOptions& options) {
  const auto cluster = RequireRunning(options.name);
  if (!cluster) return cluster.error();
  const auto api = ApiConnection::Open(cluster->kubeconfig);
  if (!api) return api.error();
  const auto figures = Count(**api);
  if (!figures) return figures.error();
  return Print(*cluster, *figures, runtime::SystemClock().WallTime());
}

Result<std::string> EndCluster(const DownOptions& options) {
  const auto folder = StateFolder();
  if (!folder) return folder.error();
  const auto running = FindRunning(*folder, options.name);
  if (!running) return running.error();
  if (!*running) return "no cluster " + json::Quoted(options.name) + " is running\n";
  const pid_t process = (*running)->process;
  if (kill(process, SIGTERM) != 0 && errno != ESRCH) {
    return Error(ErrorKind::kUnavailable, "process " + std::to_string(process) + ": " +
                                              std::generic_category().message(errno));
  }
  const auto deadline = std::chrono::steady_clock::now() + kEndTimeout;
  while (std::chrono::steady_clock::now() < deadline) {
    const auto still = FindRunning(*folder, options.name);
    if (still && !*still) return std::string("ended\n");
    std::this_thread::sleep_for(kLookAgain);
  }
  return Error(ErrorKind::kUnavailable, "process " + std::to_string(process) +
                                            " has not ended after " +
                                            std::to_string(kEndTimeout.count()) + " s");
}

}  // namespace gs::local
