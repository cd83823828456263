// What drivers had before the newer forms of the same.
#include "adapters/gpu/nvml/nvml_types.h"
#include "tests/fake_nvml/fake_state.h"

namespace nvml = gs::gpu::nvml;

extern "C" {

int nvmlEventSetWait(nvml::EventSet, nvml::EventData* event, unsigned milliseconds) {
  return gs::fake_nvml::WaitEvent(milliseconds, *event);
}

int nvmlDeviceGetComputeRunningProcesses_v2(nvml::Device device, unsigned* count,
                                            nvml::Process* out) {
  return gs::fake_nvml::WriteProcesses("nvmlDeviceGetComputeRunningProcesses_v2", device, count,
                                       out);
}

}  // extern "C"
