// NvmlDevices: NVIDIA's GPUs, through the library that comes with their driver.
//
// A GPU that was seen once and is lost stays in the reports, as lost, while the driver still counts
// it. Whatever else goes wrong makes a reading fail, and the next one starts from nothing. Every
// call may hang with its driver: use it inside a WatchedDevices.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "adapters/gpu/device_source.h"
#include "adapters/gpu/nvml/nvml_gpu.h"
#include "adapters/gpu/nvml/nvml_session.h"
#include "adapters/gpu/pci_sysfs.h"
#include "adapters/gpu/seen_machine.h"

namespace gs::gpu {

class NvmlDevices final : public DeviceSource {
 public:
  struct Options {
    std::filesystem::path library = "libnvidia-ml.so.1";
    std::filesystem::path sysfs = "/sys";
    std::filesystem::path procfs = "/proc";
  };

  explicit NvmlDevices(const Options& options);

  [[nodiscard]] std::string name() const override { return "NVML"; }
  // kNotFound: there is no library, or it finds no driver.
  [[nodiscard]] Result<model::DeviceReport> Read() override;
  [[nodiscard]] bool has_faults() const override { return true; }
  [[nodiscard]] Result<std::vector<model::GpuFault>> WaitFaults(Duration timeout) override;

  // The function that is running, for whoever watches. From any thread.
  [[nodiscard]] std::string calling() const { return sessions_.calling(); }

 private:
  struct Listed;

  [[nodiscard]] Result<model::DeviceReport> ReadWith(const nvml::NvmlSession& session,
                                                     Listed& listed);
  [[nodiscard]] static Result<void> List(nvml::Reading& reading, Listed& listed);
  [[nodiscard]] static Result<void> AddGpu(nvml::Reading& reading, nvml::Device device,
                                           Listed& listed);
  void AddLost(Listed& listed) const;
  [[nodiscard]] SeenPair LookAtPair(const nvml::NvmlLibrary& library, const Listed& listed,
                                    const SeenGpu& a, const SeenGpu& b);

  const Options options_;
  const PciSysfs sysfs_;
  nvml::NvmlSessions sessions_;
  // Of the last reading; touched by Read() alone.
  std::vector<SeenGpu> known_;
  std::map<std::pair<PciAddress, PciAddress>, model::PcieClass> known_classes_;
};

}  // namespace gs::gpu
