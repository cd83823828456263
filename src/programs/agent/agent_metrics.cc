#include "programs/agent/agent_metrics.h"

#include <chrono>
#include <map>
#include <vector>

namespace gs::agent {
namespace {

using Numbers = std::map<std::vector<std::string>, double>;

const std::vector<std::string> kGpuLabels{"node", "id", "uuid", "model"};
const std::vector<std::string> kNodeLabels{"node"};

double Seconds(TimePoint time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

struct GpuNumbers {
  Numbers healthy;
  Numbers pods;
  Numbers residue;
  Numbers memory;

  void Add(const NodeName& node, const model::GpuDevice& device) {
    const std::vector<std::string> labels{node.text(), std::to_string(device.id.number()),
                                          device.uuid.text(), std::string(device.model.text())};
    healthy[labels] = device.health == model::Health::kHealthy ? 1 : 0;
    pods[labels] = static_cast<double>(device.in_use_by.size());
    residue[labels] = static_cast<double>(device.residue.size());
    memory[labels] = static_cast<double>(device.memory_mib) * 1024 * 1024;
  }
};

}  // namespace

AgentMetrics::AgentMetrics(std::string_view version)
    : healthy_(registry_.AddGauges({"gpu_agent_gpu_healthy",
                                    "1 if the GPU is healthy, 0 if it goes to no new pod.",
                                    kGpuLabels})),
      pods_(registry_.AddGauges({"gpu_agent_gpu_pods", "Pods that use the GPU.", kGpuLabels})),
      residue_(registry_.AddGauges(
          {"gpu_agent_gpu_residue", "Pods that are gone and still use the GPU.", kGpuLabels})),
      memory_(registry_.AddGauges(
          {"gpu_agent_gpu_memory_bytes", "Memory of the GPU; 0 if unknown.", kGpuLabels})),
      gpus_(registry_.AddGauges({"gpu_agent_gpus", "GPUs of the node.", kNodeLabels})),
      readable_(registry_.AddGauges({"gpu_agent_gpus_readable",
                                     "0 while the GPUs cannot be read and the report is what was "
                                     "seen last.",
                                     kNodeLabels})),
      observed_(registry_.AddGauges(
          {"gpu_agent_observed_timestamp_seconds", "When the GPUs were last read.", kNodeLabels})),
      mismatches_(registry_.AddGauges({"gpu_agent_mismatched_pods",
                                       "Pods that a device plugin gave other GPUs than the "
                                       "scheduler had planned.",
                                       kNodeLabels})),
      standing_back_(registry_.AddGauges(
          {"gpu_agent_standing_back", "1 while another agent reports for the node.", kNodeLabels})),
      writes_(registry_.AddCounters(
          {"gpu_agent_writes_total", "Writes to the GpuNodeStatus by outcome.", {"outcome"}})) {
  registry_.AddGauges({"gpu_agent_build_info", "The version of the agent.", {"version"}})
      .Set({version}, 1);
}

void AgentMetrics::Show(const NodeAgents& agents) const {
  GpuNumbers numbers;
  Numbers gpus;
  Numbers readable;
  Numbers observed;
  Numbers mismatches;
  Numbers standing_back;
  agents.ForEach([&](const NodeName& node, const Agent& agent) {
    const std::vector<std::string> labels{node.text()};
    mismatches[labels] = static_cast<double>(agent.mismatches());
    standing_back[labels] = agent.is_standing_back() ? 1 : 0;
    if (!agent.report()) return;
    gpus[labels] = static_cast<double>(agent.report()->machine.devices.size());
    readable[labels] = agent.report()->notes.why_stale.empty() ? 1 : 0;
    observed[labels] = Seconds(agent.report()->notes.observed_at);
    for (const auto& device : agent.report()->machine.devices) numbers.Add(node, device);
  });
  healthy_.Replace(numbers.healthy);
  pods_.Replace(numbers.pods);
  residue_.Replace(numbers.residue);
  memory_.Replace(numbers.memory);
  gpus_.Replace(gpus);
  readable_.Replace(readable);
  observed_.Replace(observed);
  mismatches_.Replace(mismatches);
  standing_back_.Replace(standing_back);
}

void AgentMetrics::CountWrite(model::WriteOutcome outcome) const {
  writes_.Add({ToString(outcome)});
}

}  // namespace gs::agent
