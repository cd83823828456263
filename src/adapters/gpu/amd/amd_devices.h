// AmdDevices: AMD's GPUs, from what the kernel's driver for compute devices (KFD) shows in sysfs.
// No library of AMD is needed.
//
// A GPU in partitions (CPX, DPX) is one GPU that nobody can be given. Text that makes no sense
// makes a reading fail, with the file and what was expected.
#pragma once

#include <filesystem>
#include <string>

#include "adapters/gpu/device_source.h"
#include "adapters/gpu/pci_sysfs.h"

namespace gs::gpu {

class AmdDevices final : public DeviceSource {
 public:
  AmdDevices(const std::filesystem::path& sysfs, std::filesystem::path procfs);

  [[nodiscard]] std::string name() const override { return "KFD"; }
  // kNotFound: there is no such driver.
  [[nodiscard]] Result<model::DeviceReport> Read() override;

 private:
  std::filesystem::path sysfs_;
  std::filesystem::path kfd_;
  std::filesystem::path procfs_;
  PciSysfs pci_;
};

}  // namespace gs::gpu
