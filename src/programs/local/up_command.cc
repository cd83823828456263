#include "programs/local/up_command.h"

#include <unistd.h>

#include <system_error>
#include <utility>

#include "adapters/kube/fence/fence_lease.h"
#include "adapters/localcluster/objects/metadata.h"
#include "programs/local/embedded_webhook.h"
#include "programs/local/load.h"
#include "programs/local/node_source.h"
#include "programs/local/programs.h"

namespace gs::local {
namespace {

constexpr Duration kDashboardPatience = std::chrono::seconds(10);

struct Content {
  std::vector<boost::json::value> objects;
  Nodes nodes;
};

// Whoever led in the cluster of a dump is not here: nobody has to wait for its time to pass.
bool IsFence(const boost::json::value& object) {
  return localcluster::KindOf(object) == "Lease" &&
         localcluster::NameOf(object) == kube::kFenceName;
}

Result<Content> FindContent(const UpOptions& options) {
  Content content;
  if (!options.load.empty()) {
    auto objects = ReadDump(options.load);
    if (!objects) return std::move(objects).error().Within("--load");
    content.objects = *std::move(objects);
    if (!options.is_bare) {
      std::erase_if(content.objects, IsFence);
      std::erase_if(content.objects, IsOfWebhook);
    }
  }
  const bool are_loaded = options.nodes.empty() && !options.load.empty();
  auto nodes = are_loaded ? NodesOf(content.objects)
                          : FindNodes(options.nodes.empty() ? kDefaultNodes : options.nodes);
  if (!nodes) return std::move(nodes).error().Within(are_loaded ? "--load" : "--nodes");
  content.nodes = *std::move(nodes);
  return content;
}

std::string NodesTitle(const UpOptions& options) {
  if (!options.nodes.empty()) return options.nodes;
  return options.load.empty() ? kDefaultNodes : "of " + options.load;
}

// Names a port that is taken, which is what goes wrong most.
Error Explain(Error error, const UpOptions& options) {
  if (options.port == 0) return error;
  return std::move(error).Within("--port " + std::to_string(options.port));
}

Result<std::unique_ptr<KubeconfigFile>> WriteKubeconfig(const Cluster& cluster,
                                                        const std::string& user,
                                                        const std::filesystem::path& path) {
  const auto text = cluster.IssueKubeconfig(user);
  if (!text) return text.error();
  auto file = KubeconfigFile::Write(path, *text);
  if (!file) return std::move(file).error();
  return std::make_unique<KubeconfigFile>(*std::move(file));
}

}  // namespace

Result<std::unique_ptr<UpCluster>> UpCluster::Start(const UpOptions& options,
                                                    std::string_view version,
                                                    const runtime::Logger& log) {
  const auto folder = StateFolder();
  if (!folder) return folder.error();
  auto mark = RunningMark::Take(*folder, options.name);
  if (!mark) return std::move(mark).error();
  auto content = FindContent(options);
  if (!content) return std::move(content).error();
  std::unique_ptr<UpCluster> up(new UpCluster(*std::move(mark)));
  up->nodes_ = content->nodes.size();
  up->dashboard_port_ = options.dashboard_port;
  auto devices = SimulatedDevices(content->nodes);
  auto cluster = Cluster::Start({.port = options.port,
                                 .nodes = std::move(content->nodes),
                                 .programs = KnownPrograms(),
                                 .objects = std::move(content->objects)},
                                log);
  if (!cluster) return Explain(std::move(cluster).error(), options);
  up->cluster_ = *std::move(cluster);
  const std::filesystem::path path = options.kubeconfig.empty()
                                         ? *folder / (options.name + ".kubeconfig")
                                         : std::filesystem::absolute(options.kubeconfig);
  auto kubeconfig = WriteKubeconfig(*up->cluster_, "gpu-local-admin", path);
  if (!kubeconfig) return std::move(kubeconfig).error();
  up->kubeconfig_ = *std::move(kubeconfig);
  up->running_ = {.process = getpid(),
                  .version = std::string(version),
                  .server = up->cluster_->server(),
                  .kubeconfig = path.string(),
                  .nodes = NodesTitle(options),
                  .log = options.is_background ? (*folder / (options.name + ".log")).string() : "",
                  .is_bare = options.is_bare,
                  .started = runtime::SystemClock().WallTime()};
  if (auto done = up->StartInside(*folder / options.name, std::move(devices), version, log);
      !done) {
    return std::move(done).error();
  }
  if (auto done = up->mark_.Tell(up->running_); !done) return std::move(done).error();
  return up;
}

UpCluster::~UpCluster() {
  scheduler_.reset();
  webhook_.reset();
  agents_.reset();
  cluster_.reset();
  std::error_code failed;
  if (!running_.log.empty() && std::filesystem::is_empty(running_.log, failed) && !failed) {
    std::filesystem::remove(running_.log, failed);
  }
}

// The agents are those of the nodes, so a bare cluster has them too.
Result<void> UpCluster::StartInside(const std::filesystem::path& stem,
                                    std::vector<agent::NodeDevices> devices,
                                    std::string_view version, const runtime::Logger& log) {
  const auto file = [&](std::string_view whose) {
    return std::filesystem::path(stem.string() + "." + std::string(whose) + ".kubeconfig");
  };
  const std::size_t reports = devices.size();
  if (auto done = StartAgents(file("agents"), std::move(devices), version, log); !done) return done;
  if (!running_.is_bare) {
    if (auto done = StartWebhook(file("webhook"), version, log); !done) return done;
  }
  // So that whoever comes next places pods by what there is.
  cluster_->AwaitReports(reports);
  if (running_.is_bare) return {};
  return StartScheduler(file("scheduler"), version, log);
}

Result<void> UpCluster::StartAgents(const std::filesystem::path& kubeconfig,
                                    std::vector<agent::NodeDevices> nodes, std::string_view version,
                                    const runtime::Logger& log) {
  if (nodes.empty()) return {};
  auto written =
      WriteKubeconfig(*cluster_, "system:serviceaccount:default:gpu-scheduler-agent", kubeconfig);
  if (!written) return std::move(written).error();
  agents_kubeconfig_ = *std::move(written);
  agents_ = std::make_unique<EmbeddedAgents>(kubeconfig, std::move(nodes), std::string(version),
                                             log.With({{"in", "agents"}}));
  return {};
}

Result<void> UpCluster::StartScheduler(const std::filesystem::path& kubeconfig,
                                       std::string_view version, const runtime::Logger& log) {
  auto written =
      WriteKubeconfig(*cluster_, "system:serviceaccount:default:gpu-scheduler", kubeconfig);
  if (!written) return std::move(written).error();
  scheduler_kubeconfig_ = *std::move(written);
  auto scheduler = EmbeddedScheduler::Start(kubeconfig, dashboard_port_, std::string(version),
                                            log.With({{"in", "scheduler"}}));
  if (!scheduler) return std::move(scheduler).error();
  scheduler_ = *std::move(scheduler);
  // Pods are placed without it too.
  const std::uint16_t port = scheduler_->AwaitDashboard(kDashboardPatience);
  if (port != 0) running_.dashboard = "http://127.0.0.1:" + std::to_string(port) + "/";
  return {};
}

Result<void> UpCluster::StartWebhook(const std::filesystem::path& kubeconfig,
                                     std::string_view version, const runtime::Logger& log) {
  auto written =
      WriteKubeconfig(*cluster_, "system:serviceaccount:default:gpu-scheduler-webhook", kubeconfig);
  if (!written) return std::move(written).error();
  webhook_kubeconfig_ = *std::move(written);
  auto webhook = local::StartWebhook(*cluster_, kubeconfig, version, log.With({{"in", "webhook"}}));
  if (!webhook) return std::move(webhook).error();
  webhook_ = *std::move(webhook);
  return {};
}

std::string Welcome(const UpCluster& cluster, const UpOptions& options) {
  const RunningCluster& running = cluster.running();
  const std::string name = options.name == "gpu-local" ? "" : " --name " + options.name;
  return "gpu-local serves " + running.server + " with " + std::to_string(cluster.nodes()) +
         " nodes" + (running.is_bare ? "" : ", the scheduler and its webhook") +
         "\n\n  export KUBECONFIG=" + running.kubeconfig + "\n  kubectl get nodes\n\n" +
         (running.dashboard.empty() ? "" : "The dashboard is at " + running.dashboard + "\n") +
         "gpu-local down" + name + " ends it." +
         (running.log.empty() ? "" : " What goes wrong meanwhile is in " + running.log + ".") +
         "\n";
}

}  // namespace gs::local
