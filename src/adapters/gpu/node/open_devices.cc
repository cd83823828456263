#include "adapters/gpu/node/open_devices.h"

#include <utility>

#include "adapters/gpu/amd/amd_devices.h"
#include "adapters/gpu/file_devices.h"
#include "adapters/gpu/nvml/nvml_devices.h"
#include "adapters/gpu/watch/watched_devices.h"

namespace gs::gpu {
namespace {

using Source = std::unique_ptr<DeviceSource>;

// A file that is wrong is refused at the start; later it makes reports stale.
Result<Source> OpenFile(const std::filesystem::path& path) {
  auto file = std::make_unique<FileDevices>(path);
  if (auto report = file->Read(); !report) return std::move(report).error();
  return Source(std::move(file));
}

Source Nvml(const DeviceOptions& options) {
  auto nvml = std::make_shared<NvmlDevices>(NvmlDevices::Options{
      .library = options.nvml_library, .sysfs = options.sysfs, .procfs = options.procfs});
  return std::make_unique<WatchedDevices>(nvml, options.patience,
                                          [nvml] { return nvml->calling(); });
}

Source Amd(const DeviceOptions& options) {
  return std::make_unique<WatchedDevices>(
      std::make_shared<AmdDevices>(options.sysfs, options.procfs), options.patience, nullptr);
}

// Whatever is there and cannot be read is there: who asked keeps it and asks it again, so that one
// call that hangs is never followed by another.
bool IsThere(DeviceSource& source) {
  const auto report = source.Read();
  if (report) return !report->machine.devices.empty();
  return report.error().kind() != ErrorKind::kNotFound;
}

}  // namespace

Result<Source> OpenDevices(const DeviceOptions& options) {
  if (!options.machine_file.empty()) return OpenFile(options.machine_file);
  if (auto nvml = Nvml(options); IsThere(*nvml)) return nvml;
  if (auto amd = Amd(options); IsThere(*amd)) return amd;
  return Source();
}

}  // namespace gs::gpu
