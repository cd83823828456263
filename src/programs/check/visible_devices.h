// The GPUs that a driver shows to this container.
#pragma once

#include <optional>
#include <vector>

#include "adapters/gpu/node/open_devices.h"
#include "base/ids.h"

namespace gs::check {

// Nothing where there is no driver, or where it does not answer. Blocks, at most about as long as
// the patience.
[[nodiscard]] std::optional<std::vector<GpuUuid>> VisibleDevices(const gpu::DeviceOptions& options);

}  // namespace gs::check
