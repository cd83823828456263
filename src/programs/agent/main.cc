// gpu-scheduler-agent: see docs/gpu-agent.md.
#include <iostream>
#include <string>
#include <vector>

#include "adapters/kubelet/pod_resources.h"
#include "programs/agent/options.h"
#include "programs/agent/run_agent.h"

namespace {

constexpr int kExitFailed = 1;
constexpr int kExitBadInput = 2;
constexpr auto kKubeletPatience = std::chrono::seconds(5);

gs::agent::NodeDevices DevicesOf(const gs::agent::NodeOptions& options) {
  gs::agent::NodeDevices devices{
      .node = options.node, .open = [how = options.devices] { return gs::gpu::OpenDevices(how); }};
  if (options.pod_resources.empty()) return devices;
  const auto kubelet = std::make_shared<gs::kubelet::PodResources>(options.pod_resources);
  devices.ask_kubelet = [kubelet] { return kubelet->List(kKubeletPatience); };
  return devices;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  const auto command = gs::agent::ParseCommandLine(args, GS_VERSION);
  if (!command) {
    std::cerr << "gpu-scheduler-agent: " << command.error() << "\n";
    return kExitBadInput;
  }
  if (const auto* shown = std::get_if<gs::agent::ShowText>(&*command)) {
    std::cout << shown->text;
    return 0;
  }
  const auto& options = std::get<gs::agent::NodeOptions>(*command);
  const gs::runtime::Logger log(
      {.level = options.program.log_level, .format = options.program.log_format});
  const auto done = gs::agent::RunAgent(options.program, {DevicesOf(options)}, GS_VERSION, log);
  if (done) return 0;
  log.Error("stopped", {{"why", gs::ToString(done.error())}});
  return kExitFailed;
}
