// EmbeddedAgents: the agents of all simulated nodes, in a thread of this process. They reach the
// cluster as they would from outside, over TLS and with a certificate of their own; their GPUs are
// those that the nodes were described with.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "adapters/runtime/log.h"
#include "programs/agent/options.h"
#include "programs/agent/reading.h"
#include "programs/local/node_file.h"

namespace gs::local {

// What the agents of those nodes read; nodes without GPUs have none.
[[nodiscard]] std::vector<agent::NodeDevices> SimulatedDevices(const Nodes& nodes);

class EmbeddedAgents {
 public:
  EmbeddedAgents(const std::filesystem::path& kubeconfig, std::vector<agent::NodeDevices> nodes,
                 std::string version, runtime::Logger log);
  ~EmbeddedAgents() = default;
  EmbeddedAgents(const EmbeddedAgents&) = delete;
  EmbeddedAgents& operator=(const EmbeddedAgents&) = delete;
  EmbeddedAgents(EmbeddedAgents&&) = delete;
  EmbeddedAgents& operator=(EmbeddedAgents&&) = delete;

 private:
  const agent::ProgramOptions options_;
  const std::vector<agent::NodeDevices> nodes_;
  const std::string version_;
  const runtime::Logger log_;
  std::jthread thread_;  // last, so that it ends before what it uses
};

}  // namespace gs::local
