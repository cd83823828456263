// DeviceSource: where a node's GPUs are read from. One per technology: NVIDIA's management library,
// AMD's sysfs, or a file. It tells what it sees and judges nothing.
//
// Whatever an open source answers, its caller keeps what was reported last: an error means that the
// report is stale, not that the GPUs are gone. GPUs that are gone are missing in a report.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/model/device_report.h"

namespace gs::gpu {

class DeviceSource {
 public:
  DeviceSource() = default;
  virtual ~DeviceSource() = default;
  DeviceSource(const DeviceSource&) = delete;
  DeviceSource& operator=(const DeviceSource&) = delete;
  DeviceSource(DeviceSource&&) = delete;
  DeviceSource& operator=(DeviceSource&&) = delete;

  // For people: "NVML", "file /etc/machine.yaml".
  [[nodiscard]] virtual std::string name() const = 0;

  // Everything as it is now. Blocks. From one thread at a
  // time.
  [[nodiscard]] virtual Result<model::DeviceReport> Read() = 0;

  // Whether the source tells faults by itself. The others are only read.
  [[nodiscard]] virtual bool has_faults() const { return false; }
  // Blocks until there are faults, or until the timeout has passed, and returns what happened since
  // the last call, oldest first. May run beside Read(). Requires: has_faults().
  [[nodiscard]] virtual Result<std::vector<model::GpuFault>> WaitFaults(Duration timeout);
};

}  // namespace gs::gpu
