// FileDevices: the GPUs that a machine file describes, for simulated nodes, tests and
// demonstrations. The file is read anew every time, so an edit is a change of the machine.
#pragma once

#include <filesystem>
#include <string>

#include "adapters/gpu/device_source.h"

namespace gs::gpu {

// What a source reports that has this machine: stated health becomes a fact.
[[nodiscard]] model::DeviceReport ReportOf(model::Machine machine);

class FileDevices final : public DeviceSource {
 public:
  explicit FileDevices(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] std::string name() const override { return "file " + path_.string(); }
  [[nodiscard]] Result<model::DeviceReport> Read() override;

 private:
  std::filesystem::path path_;
};

}  // namespace gs::gpu
