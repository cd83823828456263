// What newer drivers have besides.
#include <cstdint>

#include "adapters/gpu/nvml/nvml_types.h"
#include "tests/fake_nvml/fake_state.h"

namespace nvml = gs::gpu::nvml;
using gs::fake_nvml::EnterFor;
using gs::fake_nvml::EnterForLink;
using gs::fake_nvml::FakeGpu;
using gs::fake_nvml::FakeLink;
using gs::fake_nvml::Target;
using gs::fake_nvml::WriteProcesses;
using nvml::Device;
using nvml::EventSet;

namespace {

int WriteField(const FakeGpu& gpu, nvml::FieldValue& value) {
  if (value.field == nvml::kFieldRecoveryAction && gpu.recovery >= 0) {
    value.value = static_cast<std::uint64_t>(gpu.recovery);
    return nvml::kSuccess;
  }
  if (value.field == nvml::kFieldLinkSpeed && gpu.links.at(value.scope).speed > 0) {
    value.value = gpu.links[value.scope].speed;
    return nvml::kSuccess;
  }
  return nvml::kNotSupported;
}

}  // namespace

extern "C" {

int nvmlEventSetWait_v2(EventSet, nvml::EventData* event, unsigned milliseconds) {
  return gs::fake_nvml::WaitEvent(milliseconds, *event);
}

int nvmlDeviceGetMemoryInfo_v2(Device device, nvml::MemoryV2* out) {
  Target target;
  if (const int error = EnterFor("nvmlDeviceGetMemoryInfo_v2", device, target)) return error;
  if (out->version != nvml::kMemoryV2) return nvml::kInvalidArgument;
  out->total = target.gpu->memory_mib << 20;
  return nvml::kSuccess;
}

int nvmlDeviceGetNumaNodeId(Device device, unsigned* node) {
  Target target;
  if (const int error = EnterFor("nvmlDeviceGetNumaNodeId", device, target)) return error;
  if (target.gpu->numa < 0) return nvml::kNotSupported;
  *node = static_cast<unsigned>(target.gpu->numa);
  return nvml::kSuccess;
}

int nvmlDeviceGetP2PStatus(Device a, Device b, int, int* status) {
  Target target;
  if (const int error = EnterFor("nvmlDeviceGetP2PStatus", a, target)) return error;
  if (const int error = EnterFor("nvmlDeviceGetP2PStatus", b, target)) return error;
  *status = target.machine->has_working_switches ? 0 : 3;
  return nvml::kSuccess;
}

int nvmlDeviceGetNvLinkRemoteDeviceType(Device device, unsigned index, int* type) {
  Target target;
  const FakeLink* link = nullptr;
  if (const int error =
          EnterForLink("nvmlDeviceGetNvLinkRemoteDeviceType", device, index, target, link)) {
    return error;
  }
  *type = link->to < 0 ? nvml::kRemoteSwitch : nvml::kRemoteGpu;
  return nvml::kSuccess;
}

int nvmlDeviceGetMigMode(Device device, unsigned* now, unsigned* pending) {
  Target target;
  if (const int error = EnterFor("nvmlDeviceGetMigMode", device, target)) return error;
  *now = *pending = target.gpu->has_mig ? 1 : 0;
  return nvml::kSuccess;
}

int nvmlDeviceGetRemappedRows(Device device, unsigned* corrected, unsigned* uncorrected,
                              unsigned* is_pending, unsigned* has_failed) {
  Target target;
  if (const int error = EnterFor("nvmlDeviceGetRemappedRows", device, target)) return error;
  if (target.gpu->remap < 0) return nvml::kNotSupported;
  *corrected = *uncorrected = 0;
  *is_pending = (target.gpu->remap & 1) != 0 ? 1 : 0;
  *has_failed = (target.gpu->remap & 2) != 0 ? 1 : 0;
  return nvml::kSuccess;
}

int nvmlDeviceGetFieldValues(Device device, int count, nvml::FieldValue* values) {
  Target target;
  if (const int error = EnterFor("nvmlDeviceGetFieldValues", device, target)) return error;
  for (int i = 0; i < count; ++i) values[i].result = WriteField(*target.gpu, values[i]);
  return nvml::kSuccess;
}

int nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, nvml::Process* out) {
  return WriteProcesses("nvmlDeviceGetComputeRunningProcesses_v3", device, count, out);
}

int nvmlDeviceGetMPSComputeRunningProcesses_v3(Device device, unsigned* count, nvml::Process* out) {
  return WriteProcesses("nvmlDeviceGetMPSComputeRunningProcesses_v3", device, count, out);
}

}  // extern "C"
