// One GPU through NVML: asks everything and takes for an answer what this driver can give.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "adapters/gpu/nvml/nvml_library.h"
#include "adapters/gpu/pci_sysfs.h"
#include "adapters/gpu/seen_machine.h"
#include "base/result.h"

namespace gs::gpu::nvml {

// What a reading works with and adds to.
struct Reading {
  const NvmlLibrary& library;
  const PciSysfs& sysfs;
  const std::filesystem::path& procfs;
  std::vector<std::string> warnings;  // what went wrong and does not matter for the rest
  bool sees_processes = false;
};

// A GPU that answers that it is lost is lost, and nothing else that is said of it counts. An error:
// it does not tell which one it is, so that nothing can be said about the ids of this machine.
[[nodiscard]] Result<SeenGpu> ReadGpu(Reading& reading, Device device);

// GB/s of one NVLink, both directions, by the version that NVML reports; 0: unknown.
[[nodiscard]] std::int32_t NvLinkGbps(unsigned version);

}  // namespace gs::gpu::nvml
