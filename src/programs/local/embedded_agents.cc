#include "programs/local/embedded_agents.h"

#include <memory>
#include <utility>

#include "adapters/gpu/file_devices.h"
#include "programs/agent/run_agent.h"

namespace gs::local {
namespace {

// Nothing happens to simulated GPUs, so they are looked at seldom; pods are shown soon.
constexpr auto kReadEvery = std::chrono::minutes(1);
constexpr auto kUseDelay = std::chrono::seconds(1);
constexpr std::size_t kAgentRequests = 32;

class DescribedDevices final : public gpu::DeviceSource {
 public:
  explicit DescribedDevices(const model::Machine& machine) : report_(gpu::ReportOf(machine)) {
    report_.driver_version = "simulated";
    // A description may come from a dump; what was left behind then is not there any more.
    for (auto& device : report_.machine.devices) device.residue.clear();
  }
  [[nodiscard]] std::string name() const override { return "its description"; }
  [[nodiscard]] Result<model::DeviceReport> Read() override { return report_; }

 private:
  model::DeviceReport report_;
};

agent::ProgramOptions AgentOptionsFor(const std::filesystem::path& kubeconfig) {
  agent::ProgramOptions options;
  options.cluster.kubeconfig = kubeconfig;
  options.read_every = kReadEvery;
  options.times.use_delay = kUseDelay;
  options.max_requests = kAgentRequests;
  return options;
}

}  // namespace

std::vector<agent::NodeDevices> SimulatedDevices(const Nodes& nodes) {
  std::vector<agent::NodeDevices> all;
  for (const auto& node : nodes) {
    if (node.machine.devices.empty()) continue;
    all.push_back({.node = NodeName(node.name),
                   .open = [machine = std::make_shared<const model::Machine>(
                                node.machine)]() -> Result<std::unique_ptr<gpu::DeviceSource>> {
                     return std::unique_ptr<gpu::DeviceSource>(
                         std::make_unique<DescribedDevices>(*machine));
                   }});
  }
  return all;
}

EmbeddedAgents::EmbeddedAgents(const std::filesystem::path& kubeconfig,
                               std::vector<agent::NodeDevices> nodes, std::string version,
                               runtime::Logger log)
    : options_(AgentOptionsFor(kubeconfig)),
      nodes_(std::move(nodes)),
      version_(std::move(version)),
      log_(std::move(log)),
      thread_([this](const std::stop_token& stop) {
        const auto done = agent::RunAgentsUntil(stop, options_, nodes_, version_, log_);
        if (!done) log_.Error("the agents stopped", {{"why", ToString(done.error())}});
      }) {}

}  // namespace gs::local
