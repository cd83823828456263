// Which GPUs this node has: the machine file if one is named, else whichever technology is found.
#pragma once

#include <filesystem>
#include <memory>

#include "adapters/gpu/device_source.h"
#include "base/result.h"
#include "base/time.h"

namespace gs::gpu {

struct DeviceOptions {
  std::filesystem::path machine_file;  // not empty: this file alone
  std::filesystem::path nvml_library = "libnvidia-ml.so.1";
  std::filesystem::path sysfs = "/sys";
  std::filesystem::path procfs = "/proc";
  Duration patience = std::chrono::seconds(30);  // with a driver that does not answer
};

// The source of this node. Null where there is none, which may change when a driver is loaded: ask
// again now and then. A source that cannot be read now, because its driver hangs or is of another
// version than its library, is returned as well: its Read() says why, and goes on as soon as it
// can. An error: the machine file is wrong. Blocks, at most about as long as the patience.
[[nodiscard]] Result<std::unique_ptr<DeviceSource>> OpenDevices(const DeviceOptions& options);

}  // namespace gs::gpu
