#include "adapters/gpu/device_source.h"

namespace gs::gpu {

Result<std::vector<model::GpuFault>> DeviceSource::WaitFaults(Duration /*timeout*/) {
  return Error(ErrorKind::kUnsupported, name() + " tells no faults by itself");
}

}  // namespace gs::gpu
