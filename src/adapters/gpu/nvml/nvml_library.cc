#include "adapters/gpu/nvml/nvml_library.h"

#include <dlfcn.h>

#include <utility>

namespace gs::gpu::nvml {
namespace {

// What dlopen says when there is no such file, in place of a code.
constexpr std::string_view kMissing = "cannot open shared object file: No such file";

Error CannotLoad(const std::filesystem::path& path) {
  const char* why = dlerror();
  std::string message = why == nullptr ? "cannot be loaded" : why;
  const bool is_missing = message.find(kMissing) != std::string::npos;
  return Error(is_missing ? ErrorKind::kNotFound : ErrorKind::kUnavailable, std::move(message))
      .Within(path.string());
}

}  // namespace

Result<std::unique_ptr<NvmlLibrary>> NvmlLibrary::Load(const std::filesystem::path& path,
                                                       Calling& calling) {
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return CannotLoad(path);
  std::unique_ptr<NvmlLibrary> loaded(new NvmlLibrary(library, calling));
  const Functions& nvml = loaded->functions();
  for (const auto& [name, is_there] : {std::pair{nvml.init.name(), nvml.init.is_there()},
                                       std::pair{nvml.shutdown.name(), nvml.shutdown.is_there()},
                                       std::pair{nvml.count.name(), nvml.count.is_there()},
                                       std::pair{nvml.handle.name(), nvml.handle.is_there()},
                                       std::pair{nvml.uuid.name(), nvml.uuid.is_there()},
                                       std::pair{nvml.pci.name(), nvml.pci.is_there()}}) {
    if (is_there) continue;
    return Error(ErrorKind::kUnsupported, std::string("has no function ") + name)
        .Advise("a driver of release 390 or later is needed")
        .Within(path.string());
  }
  return loaded;
}

NvmlLibrary::NvmlLibrary(void* library, Calling& calling) : library_(library) {
  const auto find = [&](auto&... functions) {
    (functions.Resolve(&dlsym, library, &calling), ...);
  };
  Functions& f = functions_;
  find(f.init, f.shutdown, f.driver_version, f.count, f.handle, f.uuid, f.model, f.pci, f.memory_v2,
       f.memory, f.numa_node, f.pcie_generation, f.pcie_lanes, f.common_ancestor, f.p2p_status,
       f.link_state, f.link_remote_type, f.link_remote_pci, f.link_version, f.mig_mode,
       f.ecc_errors, f.remapped_rows, f.pages_pending, f.field_values, f.processes_v3,
       f.processes_v2, f.mps_processes, f.create_events, f.free_events, f.event_types,
       f.register_events);
  f.wait_v2.Resolve(&dlsym, library, nullptr);
  f.wait_v1.Resolve(&dlsym, library, nullptr);
  error_text_ = reinterpret_cast<const char* (*)(int)>(dlsym(library, "nvmlErrorString"));
}

NvmlLibrary::~NvmlLibrary() { dlclose(library_); }

std::string NvmlLibrary::Describe(int result) const {
  const char* text = error_text_ == nullptr ? nullptr : error_text_(result);
  return (text == nullptr ? "error" : std::string(text)) + " (" + std::to_string(result) + ")";
}

}  // namespace gs::gpu::nvml
