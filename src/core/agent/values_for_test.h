// Machines, pods and reports of one node, for the tests of this folder.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/agent/event.h"
#include "core/model/allocation.h"
#include "core/model/device_report.h"
#include "core/model/node_report.h"
#include "core/model/pod.h"

namespace gs::agent::testing {

inline const NodeName kNode("node-a");
inline const NodeUid kNodeUid("node-uid");

// GPUs with these UUIDs, numbered in this order.
inline model::Machine MachineWith(const std::vector<std::string>& uuids) {
  model::Machine machine;
  for (const std::string& uuid : uuids) {
    model::GpuDevice device;
    device.id = GpuId(static_cast<std::int32_t>(machine.devices.size()));
    device.uuid = GpuUuid(uuid);
    device.pci_bus_id = "00000000:0" + std::to_string(machine.devices.size() + 1) + ":00.0";
    machine.devices.push_back(std::move(device));
  }
  machine.links = model::LinkMatrix(machine.devices.size());
  return machine;
}

inline std::vector<std::vector<model::GpuProcess>> ProcessesOf(
    const std::vector<std::vector<PodUid>>& running) {
  std::vector<std::vector<model::GpuProcess>> processes;
  for (const auto& pods : running) {
    auto& of_gpu = processes.emplace_back();
    for (const PodUid& pod : pods) of_gpu.push_back({1000, pod});
  }
  return processes;
}

// What a source reports of the machine; a reason for bad health becomes a fact.
inline model::DeviceReport ReportOf(model::Machine machine,
                                    const std::vector<std::vector<PodUid>>& running = {}) {
  model::DeviceReport report;
  for (auto& device : machine.devices) {
    model::GpuFacts facts;
    facts.stated = std::exchange(device.health_reason, {}).text();
    device.health = model::Health::kHealthy;
    report.facts.push_back(facts);
  }
  report.processes = ProcessesOf(running);
  report.processes.resize(machine.devices.size());
  report.machine = std::move(machine);
  report.sees_processes = true;
  report.driver_version = "550.1";
  return report;
}

inline model::PodRef RefOf(const std::string& name) {
  return {Namespace("team"), PodName(name), PodUid("uid-" + name)};
}

inline model::Allocation PlanFor(const std::string& pod, const std::vector<int>& ids,
                                 const std::vector<std::string>& uuids = {}) {
  model::Allocation plan;
  plan.pod = RefOf(pod).uid;
  plan.gpus.node = kNode;
  for (const int id : ids) plan.gpus.ids.emplace_back(id);
  for (const std::string& uuid : uuids) plan.uuids.emplace_back(uuid);
  return plan;
}

inline model::Pod RunningPod(const std::string& name, const std::vector<int>& ids,
                             const std::vector<std::string>& uuids = {}) {
  model::Pod pod;
  pod.ref = RefOf(name);
  pod.node = kNode;
  pod.phase = model::PodPhase::kRunning;
  pod.had_running_container = true;
  pod.annotations = model::ResultAnnotations(PlanFor(name, ids, uuids));
  return pod;
}

inline Held HeldBy(const std::string& pod, std::vector<std::string> devices) {
  return {Namespace("team"), PodName(pod), std::move(devices)};
}

}  // namespace gs::agent::testing
