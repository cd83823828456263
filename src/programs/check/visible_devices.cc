#include "programs/check/visible_devices.h"

namespace gs::check {

std::optional<std::vector<GpuUuid>> VisibleDevices(const gpu::DeviceOptions& options) {
  const auto source = gpu::OpenDevices(options);
  if (!source || *source == nullptr) return std::nullopt;
  const auto report = (*source)->Read();
  if (!report) return std::nullopt;
  std::vector<GpuUuid> uuids;
  for (const auto& device : report->machine.devices) uuids.push_back(device.uuid);
  return uuids;
}

}  // namespace gs::check
