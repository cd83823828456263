#include "adapters/gpu/file_devices.h"

#include <utility>

#include "adapters/gpu/machine_file.h"

namespace gs::gpu {
namespace {

model::GpuFacts TakeFacts(model::GpuDevice& device) {
  model::GpuFacts facts;
  if (device.health != model::Health::kHealthy) {
    facts.stated = device.health_reason.empty() ? "stated" : device.health_reason.text();
  }
  device.health = model::Health::kHealthy;
  device.health_reason = {};
  device.in_use_by.clear();
  return facts;
}

}  // namespace

model::DeviceReport ReportOf(model::Machine machine) {
  model::DeviceReport report;
  report.machine = std::move(machine);
  for (auto& device : report.machine.devices) report.facts.push_back(TakeFacts(device));
  report.processes.resize(report.machine.devices.size());
  return report;
}

Result<model::DeviceReport> FileDevices::Read() {
  auto machine = LoadMachineFile(path_);
  if (!machine) return std::move(machine).error();
  return ReportOf(*std::move(machine));
}

}  // namespace gs::gpu
