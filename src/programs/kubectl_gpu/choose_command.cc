#include "programs/kubectl_gpu/choose_command.h"

#include <utility>
#include <variant>
#include <vector>

#include "adapters/gpu/machine_file.h"
#include "base/gpu_ids.h"
#include "core/decide/devices/choose.h"
#include "programs/kubectl_gpu/choose_report.h"

namespace gs::kubectl_gpu {
namespace {

using devices::GpuSet;
using devices::Topology;

Error UnknownGpu(const char* option, GpuId id, const Topology& topology) {
  return Error(ErrorKind::kInvalid, "the machine has no GPU " + std::to_string(id.number()))
      .Advise("it has " + PrintGpuIds(topology.IdsOf(topology.all())))
      .Within(option);
}

bool IsUntouched(const model::GpuDevice& device) {
  return device.health == model::Health::kHealthy && device.in_use_by.empty() &&
         device.residue.empty();
}

// What nobody holds, judging by the machine file alone.
GpuSet UntouchedOf(const model::Machine& machine) {
  GpuSet untouched;
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    if (IsUntouched(machine.devices[i])) untouched.Add(i);
  }
  return untouched;
}

GpuSet UnhealthyOf(const model::Machine& machine) {
  GpuSet unhealthy;
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    if (machine.devices[i].health != model::Health::kHealthy) unhealthy.Add(i);
  }
  return unhealthy;
}

}  // namespace

Result<devices::Availability> AvailabilityOf(const model::Machine& machine,
                                             const Topology& topology,
                                             const ChooseOptions& options) {
  devices::Availability availability;
  availability.unhealthy = UnhealthyOf(machine);
  GpuSet shared;
  for (const auto& [id, pods] : options.shared) {
    const GpuSet position = topology.PositionsOf({id});
    if (position.empty()) return UnknownGpu("--shared", id, topology);
    availability.sharers.at(position.First()) = pods;
    shared = shared | position;
  }
  for (const GpuId id : options.free.value_or(std::vector<GpuId>())) {
    if (topology.PositionsOf({id}).empty()) return UnknownGpu("--free", id, topology);
  }
  availability.unused =
      options.free ? topology.PositionsOf(*options.free) : UntouchedOf(machine) - shared;
  return availability;
}

Result<ChooseAnswer> AnswerChoose(const ChooseOptions& options) {
  const auto machine = gpu::LoadMachineFile(options.machine_file);
  if (!machine) return Error(machine.error()).Within("--machine");
  const auto topology = Topology::Of(*machine);
  if (!topology) return Error(topology.error()).Within(options.machine_file);
  const auto availability = AvailabilityOf(*machine, *topology, options);
  if (!availability) return availability.error();

  const devices::Outcome outcome = devices::Choose(*topology, *availability, options.request);
  const Situation situation{.machine = *machine,
                            .topology = *topology,
                            .availability = *availability,
                            .request = options.request};
  const auto print = options.output == OutputFormat::kJson ? JsonReport : TextReport;
  return ChooseAnswer{.text = print(situation, outcome),
                      .is_found = std::holds_alternative<devices::Choice>(outcome)};
}

}  // namespace gs::kubectl_gpu
