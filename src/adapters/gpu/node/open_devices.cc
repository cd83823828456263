#include "adapters/gpu/node/open_devices.h"

#include <utility>

#include "adapters/gpu/file_devices.h"

namespace gs::gpu {
namespace {

// A file that is wrong is refused at the start; later it makes reports stale.
Result<std::unique_ptr<DeviceSource>> OpenFile(const std::filesystem::path& path) {
  auto file = std::make_unique<FileDevices>(path);
  if (auto report = file->Read(); !report) return std::move(report).error();
  return std::unique_ptr<DeviceSource>(std::move(file));
}

}  // namespace

Result<std::unique_ptr<DeviceSource>> OpenDevices(const DeviceOptions& options) {
  if (!options.machine_file.empty()) return OpenFile(options.machine_file);
  return std::unique_ptr<DeviceSource>();
}

}  // namespace gs::gpu
