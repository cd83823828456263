// NvmlLibrary: libnvidia-ml.so.1 as it is on this node, found at run time.
//
// Functions that a driver of this age does not have answer kFunctionNotFound. Thread safe, as the
// library itself is.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "adapters/gpu/nvml/nvml_types.h"
#include "base/result.h"

namespace gs::gpu::nvml {

// The name of the function that is running; null: none.
using Calling = std::atomic<const char*>;

template <class... Args>
class Function {
 public:
  // `name`: as the library exports it, with its version.
  explicit Function(const char* name) : name_(name) {}

  [[nodiscard]] const char* name() const { return name_; }
  [[nodiscard]] bool is_there() const { return pointer_ != nullptr; }

  int operator()(Args... args) const {
    if (pointer_ == nullptr) return kFunctionNotFound;
    if (calling_ != nullptr) *calling_ = name_;
    const int result = pointer_(args...);
    if (calling_ != nullptr) *calling_ = nullptr;
    return result;
  }

  // `calling`: null for calls that are meant to take long.
  void Resolve(void* (*find)(void* library, const char* name), void* library, Calling* calling) {
    pointer_ = reinterpret_cast<int (*)(Args...)>(find(library, name_));
    calling_ = calling;
  }

 private:
  const char* name_;
  int (*pointer_)(Args...) = nullptr;
  Calling* calling_ = nullptr;
};

// Named as NVML does, without its prefixes.
struct Functions {
  Function<> init{"nvmlInit_v2"};
  Function<> shutdown{"nvmlShutdown"};
  Function<char*, unsigned> driver_version{"nvmlSystemGetDriverVersion"};
  Function<unsigned*> count{"nvmlDeviceGetCount_v2"};
  Function<unsigned, Device*> handle{"nvmlDeviceGetHandleByIndex_v2"};
  Function<Device, char*, unsigned> uuid{"nvmlDeviceGetUUID"};
  Function<Device, char*, unsigned> model{"nvmlDeviceGetName"};
  Function<Device, PciInfo*> pci{"nvmlDeviceGetPciInfo_v3"};
  Function<Device, MemoryV2*> memory_v2{"nvmlDeviceGetMemoryInfo_v2"};
  Function<Device, Memory*> memory{"nvmlDeviceGetMemoryInfo"};
  Function<Device, unsigned*> numa_node{"nvmlDeviceGetNumaNodeId"};
  Function<Device, unsigned*> pcie_generation{"nvmlDeviceGetMaxPcieLinkGeneration"};
  Function<Device, unsigned*> pcie_lanes{"nvmlDeviceGetMaxPcieLinkWidth"};
  Function<Device, Device, int*> common_ancestor{"nvmlDeviceGetTopologyCommonAncestor"};
  Function<Device, Device, int, int*> p2p_status{"nvmlDeviceGetP2PStatus"};
  Function<Device, unsigned, int*> link_state{"nvmlDeviceGetNvLinkState"};
  Function<Device, unsigned, int*> link_remote_type{"nvmlDeviceGetNvLinkRemoteDeviceType"};
  Function<Device, unsigned, PciInfo*> link_remote_pci{"nvmlDeviceGetNvLinkRemotePciInfo_v2"};
  Function<Device, unsigned, unsigned*> link_version{"nvmlDeviceGetNvLinkVersion"};
  Function<Device, unsigned*, unsigned*> mig_mode{"nvmlDeviceGetMigMode"};
  Function<Device, int, int, unsigned long long*> ecc_errors{"nvmlDeviceGetTotalEccErrors"};
  Function<Device, unsigned*, unsigned*, unsigned*, unsigned*> remapped_rows{
      "nvmlDeviceGetRemappedRows"};
  Function<Device, int*> pages_pending{"nvmlDeviceGetRetiredPagesPendingStatus"};
  Function<Device, int, FieldValue*> field_values{"nvmlDeviceGetFieldValues"};
  Function<Device, unsigned*, Process*> processes_v3{"nvmlDeviceGetComputeRunningProcesses_v3"};
  Function<Device, unsigned*, Process*> processes_v2{"nvmlDeviceGetComputeRunningProcesses_v2"};
  Function<Device, unsigned*, Process*> mps_processes{"nvmlDeviceGetMPSComputeRunningProcesses_v3"};
  Function<EventSet*> create_events{"nvmlEventSetCreate"};
  Function<EventSet> free_events{"nvmlEventSetFree"};
  Function<Device, unsigned long long*> event_types{"nvmlDeviceGetSupportedEventTypes"};
  Function<Device, unsigned long long, EventSet> register_events{"nvmlDeviceRegisterEvents"};
  Function<EventSet, EventData*, unsigned> wait_v2{"nvmlEventSetWait_v2"};
  // Fills a part of the same struct.
  Function<EventSet, EventData*, unsigned> wait_v1{"nvmlEventSetWait"};
};

class NvmlLibrary {
 public:
  // kNotFound where there is no such library. A name without a slash is looked for where the
  // dynamic linker looks. `calling` outlives the library.
  [[nodiscard]] static Result<std::unique_ptr<NvmlLibrary>> Load(const std::filesystem::path& path,
                                                                 Calling& calling);
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;
  NvmlLibrary(NvmlLibrary&&) = delete;
  NvmlLibrary& operator=(NvmlLibrary&&) = delete;

  [[nodiscard]] const Functions& functions() const { return functions_; }
  [[nodiscard]] const Functions* operator->() const { return &functions_; }

  // "Driver Not Loaded (9)", by the library's own words.
  [[nodiscard]] std::string Describe(int result) const;

 private:
  NvmlLibrary(void* library, Calling& calling);

  void* library_;
  Functions functions_;
  const char* (*error_text_)(int) = nullptr;
};

}  // namespace gs::gpu::nvml
