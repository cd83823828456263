// `gpu-local up`: everything a cluster needs, started in order and ended in the reverse one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/runtime/log.h"
#include "programs/local/cluster.h"
#include "programs/local/embedded_agents.h"
#include "programs/local/embedded_scheduler.h"
#include "programs/local/kubeconfig_file.h"
#include "programs/local/options.h"
#include "programs/local/running_cluster.h"
#include "programs/webhook/webhook.h"

namespace gs::local {

// A cluster that runs while this lives, and that others find by its name. Then nothing is left of
// it but a log that has something in it.
class UpCluster {
 public:
  [[nodiscard]] static Result<std::unique_ptr<UpCluster>> Start(const UpOptions& options,
                                                                std::string_view version,
                                                                const runtime::Logger& log);
  ~UpCluster();
  UpCluster(const UpCluster&) = delete;
  UpCluster& operator=(const UpCluster&) = delete;
  UpCluster(UpCluster&&) = delete;
  UpCluster& operator=(UpCluster&&) = delete;

  [[nodiscard]] const RunningCluster& running() const { return running_; }
  [[nodiscard]] std::size_t nodes() const { return nodes_; }

 private:
  explicit UpCluster(RunningMark mark) : mark_(std::move(mark)) {}
  // Kubeconfigs of those that run inside are files whose names begin with the stem.
  [[nodiscard]] Result<void> StartInside(const std::filesystem::path& stem,
                                         std::vector<agent::NodeDevices> devices,
                                         std::string_view version, const runtime::Logger& log);
  [[nodiscard]] Result<void> StartAgents(const std::filesystem::path& kubeconfig,
                                         std::vector<agent::NodeDevices> nodes,
                                         std::string_view version, const runtime::Logger& log);
  [[nodiscard]] Result<void> StartScheduler(const std::filesystem::path& kubeconfig,
                                            std::string_view version, const runtime::Logger& log);
  [[nodiscard]] Result<void> StartWebhook(const std::filesystem::path& kubeconfig,
                                          std::string_view version, const runtime::Logger& log);

  RunningMark mark_;
  RunningCluster running_;
  std::size_t nodes_ = 0;
  std::uint16_t dashboard_port_ = 0;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<KubeconfigFile> kubeconfig_;
  std::unique_ptr<KubeconfigFile> agents_kubeconfig_;
  std::unique_ptr<EmbeddedAgents> agents_;
  std::unique_ptr<KubeconfigFile> scheduler_kubeconfig_;
  std::unique_ptr<KubeconfigFile> webhook_kubeconfig_;
  std::unique_ptr<webhook::Webhook> webhook_;
  std::unique_ptr<EmbeddedScheduler> scheduler_;  // ends first
};

// What somebody who started it wants to know.
[[nodiscard]] std::string Welcome(const UpCluster& cluster, const UpOptions& options);

}  // namespace gs::local
