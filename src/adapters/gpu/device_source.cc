#include "adapters/gpu/device_source.h"

#include <utility>

#include "adapters/gpu/file_devices.h"

namespace gs::gpu {
namespace {

// A file that cannot be read at all is refused at the start; later it makes reports stale.
Result<std::unique_ptr<DeviceSource>> OpenFile(const std::filesystem::path& path) {
  auto file = std::make_unique<FileDevices>(path);
  if (auto report = file->Read(); !report) return std::move(report).error();
  return std::unique_ptr<DeviceSource>(std::move(file));
}

}  // namespace

Result<std::vector<model::GpuFault>> DeviceSource::WaitFaults(Duration /*timeout*/) {
  return Error(ErrorKind::kUnsupported, name() + " tells no faults by itself");
}

Result<std::unique_ptr<DeviceSource>> OpenDevices(const DeviceOptions& options) {
  if (!options.machine_file.empty()) return OpenFile(options.machine_file);
  return std::unique_ptr<DeviceSource>();
}

}  // namespace gs::gpu
