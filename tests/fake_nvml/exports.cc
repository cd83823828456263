// The functions of libnvidia-ml.so.1 that this project calls and that drivers have had for long,
// served from a FakeMachine.
#include <cstdio>
#include <cstring>
#include <string>

#include "adapters/gpu/nvml/nvml_types.h"
#include "tests/fake_nvml/fake_state.h"

namespace {

namespace nvml = gs::gpu::nvml;
using gs::fake_nvml::Enter;
using gs::fake_nvml::EnterFor;
using gs::fake_nvml::EnterForLink;
using gs::fake_nvml::FakeGpu;
using gs::fake_nvml::FakeLink;
using gs::fake_nvml::Look;
using gs::fake_nvml::Target;
using nvml::Device;
using nvml::EventSet;

int WriteText(const std::string& text, char* out, unsigned size) {
  if (text.size() >= size) return nvml::kInsufficientSize;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return nvml::kSuccess;
}

void WritePci(const FakeGpu& gpu, nvml::PciInfo& out) {
  out = {};
  out.domain = gpu.domain;
  out.bus = gpu.bus;
  out.device = gpu.device;
  std::snprintf(out.bus_id.data(), out.bus_id.size(), "%08X:%02X:%02X.0", gpu.domain, gpu.bus,
                gpu.device);
}

std::size_t PositionOf(const Target& target) {
  return static_cast<std::size_t>(target.gpu - target.machine->gpus.data());
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return gs::fake_nvml::Init(); }
int nvmlShutdown() { return gs::fake_nvml::Shutdown(); }

const char* nvmlErrorString(int error) {
  switch (error) {
    case nvml::kDriverNotLoaded: return "Driver Not Loaded";
    case nvml::kGpuIsLost: return "GPU is lost";
    case nvml::kLibraryMismatch: return "Driver/library version mismatch";
    default: return "Fake Error";
  }
}

int nvmlSystemGetDriverVersion(char* out, unsigned size) {
  if (const int error = Enter("nvmlSystemGetDriverVersion")) return error;
  return WriteText(gs::fake_nvml::Machine()->driver_version, out, size);
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  if (const int error = Enter("nvmlDeviceGetCount_v2", Look::kAnew)) return error;
  *count = static_cast<unsigned>(gs::fake_nvml::Machine()->order.size());
  return nvml::kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  if (const int error = Enter("nvmlDeviceGetHandleByIndex_v2")) return error;
  const auto machine = gs::fake_nvml::Machine();
  if (index >= machine->order.size()) return nvml::kInvalidArgument;
  const FakeGpu& gpu = machine->gpus.at(static_cast<std::size_t>(machine->order[index]));
  if (gpu.is_lost) return nvml::kGpuIsLost;
  *device = gs::fake_nvml::HandleOf(gpu.uuid);
  return nvml::kSuccess;
}

int nvmlDeviceGetUUID(Device device, char* out, unsigned size) {
  Target target;
  if (const int error = EnterFor("nvmlDeviceGetUUID", device, target)) return error;
  return WriteText(target.gpu->uuid, out, size);
}

int nvmlDeviceGetName(Device device, char* out, unsigned size) {
  Target target;
  if (const int error = EnterFor("nvmlDeviceGetName", device, target)) return error;
  return WriteText(target.gpu->name, out, size);
}

int nvmlDeviceGetPciInfo_v3(Device device, nvml::PciInfo* out) {
  Target target;
  if (const int error = EnterFor("nvmlDeviceGetPciInfo_v3", device, target)) return error;
  WritePci(*target.gpu, *out);
  return nvml::kSuccess;
}

int nvmlDeviceGetMemoryInfo(Device device, nvml::Memory* out) {
  Target target;
  if (const int error = EnterFor("nvmlDeviceGetMemoryInfo", device, target)) return error;
  *out = {.total = target.gpu->memory_mib << 20};
  return nvml::kSuccess;
}

int nvmlDeviceGetMaxPcieLinkGeneration(Device device, unsigned* out) {
  Target target;
  if (const int error = EnterFor("nvmlDeviceGetMaxPcieLinkGeneration", device, target))
    return error;
  if (target.gpu->pcie_generation == 0) return nvml::kNotSupported;
  *out = target.gpu->pcie_generation;
  return nvml::kSuccess;
}

int nvmlDeviceGetMaxPcieLinkWidth(Device device, unsigned* out) {
  Target target;
  if (const int error = EnterFor("nvmlDeviceGetMaxPcieLinkWidth", device, target)) return error;
  *out = target.gpu->pcie_lanes;
  return nvml::kSuccess;
}

int nvmlDeviceGetTopologyCommonAncestor(Device a, Device b, int* level) {
  Target first;
  Target second;
  if (const int error = EnterFor("nvmlDeviceGetTopologyCommonAncestor", a, first)) return error;
  if (const int error = EnterFor("nvmlDeviceGetTopologyCommonAncestor", b, second)) return error;
  if (first.machine->ancestors.empty()) return nvml::kNotSupported;
  *level = first.machine->ancestors.at(PositionOf(first)).at(PositionOf(second));
  return nvml::kSuccess;
}

int nvmlDeviceGetNvLinkState(Device device, unsigned index, int* is_active) {
  Target target;
  const FakeLink* link = nullptr;
  if (const int error = EnterForLink("nvmlDeviceGetNvLinkState", device, index, target, link)) {
    return error;
  }
  *is_active = link->is_active ? 1 : 0;
  return nvml::kSuccess;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(Device device, unsigned index, nvml::PciInfo* out) {
  Target target;
  const FakeLink* link = nullptr;
  if (const int error =
          EnterForLink("nvmlDeviceGetNvLinkRemotePciInfo_v2", device, index, target, link)) {
    return error;
  }
  // Switches have addresses as well, of no GPU.
  const FakeGpu a_switch{.domain = 0, .bus = 0xc4};
  WritePci(link->to < 0 ? a_switch : target.machine->gpus.at(static_cast<std::size_t>(link->to)),
           *out);
  return nvml::kSuccess;
}

int nvmlDeviceGetNvLinkVersion(Device device, unsigned index, unsigned* version) {
  Target target;
  const FakeLink* link = nullptr;
  if (const int error = EnterForLink("nvmlDeviceGetNvLinkVersion", device, index, target, link)) {
    return error;
  }
  *version = link->version;
  return nvml::kSuccess;
}

int nvmlDeviceGetTotalEccErrors(Device device, int, int, unsigned long long* count) {
  Target target;
  if (const int error = EnterFor("nvmlDeviceGetTotalEccErrors", device, target)) return error;
  *count = target.gpu->ecc;
  return nvml::kSuccess;
}

int nvmlDeviceGetRetiredPagesPendingStatus(Device device, int* is_pending) {
  Target target;
  if (const int error = EnterFor("nvmlDeviceGetRetiredPagesPendingStatus", device, target)) {
    return error;
  }
  if (target.gpu->remap < 0) return nvml::kNotSupported;
  *is_pending = target.gpu->remap & 1;
  return nvml::kSuccess;
}

int nvmlEventSetCreate(EventSet* events) {
  if (const int error = Enter("nvmlEventSetCreate")) return error;
  *events = reinterpret_cast<EventSet>(events);  // never looked at
  return nvml::kSuccess;
}

int nvmlEventSetFree(EventSet) { return nvml::kSuccess; }

int nvmlDeviceGetSupportedEventTypes(Device device, unsigned long long* types) {
  Target target;
  if (const int error = EnterFor("nvmlDeviceGetSupportedEventTypes", device, target)) return error;
  *types = 0x1f;
  return nvml::kSuccess;
}

int nvmlDeviceRegisterEvents(Device device, unsigned long long, EventSet) {
  Target target;
  return EnterFor("nvmlDeviceRegisterEvents", device, target);
}

}  // extern "C"
