#include "adapters/gpu/nvml/nvml_devices.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "adapters/gpu/machine_file.h"

namespace gs::gpu {
namespace {

using model::PcieClass;
using nvml::NvmlLibrary;
using nvml::NvmlSession;

std::optional<PcieClass> ClassOfAncestor(int level) {
  switch (level) {
    case nvml::kAncestorInternal: return PcieClass::kBoard;
    case nvml::kAncestorSingle: return PcieClass::kPix;
    case nvml::kAncestorMultiple: return PcieClass::kPxb;
    case nvml::kAncestorHostBridge: return PcieClass::kPhb;
    case nvml::kAncestorNode: return PcieClass::kNode;
    case nvml::kAncestorSystem: return PcieClass::kSys;
    default: return std::nullopt;
  }
}

bool IsOnSwitch(const SeenGpu& gpu) {
  return std::any_of(gpu.links.begin(), gpu.links.end(),
                     [](const SeenLink& link) { return link.kind == model::LinkKind::kNvSwitch; });
}

std::string DriverVersion(const NvmlLibrary& library) {
  std::array<char, nvml::kTextSize> version{};
  const int result = library->driver_version(version.data(), nvml::kTextSize);
  return result == nvml::kSuccess ? version.data() : "";
}

Error CannotList(const NvmlLibrary& library, const char* function, int result) {
  return Error(ErrorKind::kUnavailable, std::string(function) + ": " + library.Describe(result));
}

}  // namespace

// The GPUs of one reading, with the handles of those that answer.
struct NvmlDevices::Listed {
  std::vector<SeenGpu> gpus;
  std::map<PciAddress, nvml::Device> handles;
  std::size_t lost = 0;  // counted by the driver, which cannot reach them
  std::vector<std::string> warnings;
  bool sees_processes = false;

  [[nodiscard]] bool Has(const GpuUuid& uuid) const {
    return std::any_of(gpus.begin(), gpus.end(),
                       [&](const SeenGpu& gpu) { return gpu.device.uuid == uuid; });
  }
};

namespace {

bool HasTwiceTheSame(std::vector<PciAddress> addresses) {
  std::sort(addresses.begin(), addresses.end());
  return std::adjacent_find(addresses.begin(), addresses.end()) != addresses.end();
}

Result<void> CheckAddresses(const std::vector<SeenGpu>& gpus) {
  std::vector<PciAddress> addresses;
  addresses.reserve(gpus.size());
  for (const SeenGpu& gpu : gpus) addresses.push_back(gpu.address);
  if (!HasTwiceTheSame(std::move(addresses))) return {};
  return Error(ErrorKind::kUnavailable, "two GPUs have the same PCI address");
}

}  // namespace

NvmlDevices::NvmlDevices(const Options& options)
    : options_(options), sysfs_(options.sysfs), sessions_(options.library) {}

Result<model::DeviceReport> NvmlDevices::Read() {
  auto session = sessions_.Get();
  if (!session) return std::move(session).error().Within(name());
  Listed listed;
  auto report = ReadWith(**session, listed);
  // The library keeps a GPU lost until it looks at the machine anew.
  if (!report || listed.lost > 0) sessions_.Drop(*session);
  return std::move(report).Within(name());
}

Result<model::DeviceReport> NvmlDevices::ReadWith(const NvmlSession& session, Listed& listed) {
  nvml::Reading reading{.library = session.library(),
                        .sysfs = sysfs_,
                        .procfs = options_.procfs,
                        .warnings = session.warnings()};
  if (auto done = List(reading, listed); !done) return std::move(done).error();
  listed.warnings = std::move(reading.warnings);
  AddLost(listed);
  if (auto done = CheckAddresses(listed.gpus); !done) return std::move(done).error();
  auto report = Assemble(listed.gpus, [&](const SeenGpu& a, const SeenGpu& b) {
    return LookAtPair(session.library(), listed, a, b);
  });
  report.sees_processes = reading.sees_processes;
  report.driver_version = DriverVersion(session.library());
  report.warnings = std::move(listed.warnings);
  known_ = std::move(listed.gpus);
  return report;
}

// One by one; GPUs that do not tell who they are are only counted.
Result<void> NvmlDevices::List(nvml::Reading& reading, Listed& listed) {
  const NvmlLibrary& library = reading.library;
  unsigned count = 0;
  if (const int result = library->count(&count); result != nvml::kSuccess) {
    return CannotList(library, library->count.name(), result);
  }
  if (count > kMaxDevices) {
    return Error(ErrorKind::kUnsupported,
                 std::to_string(count) + " GPUs; at most " + std::to_string(kMaxDevices));
  }
  for (unsigned index = 0; index < count; ++index) {
    nvml::Device device = nullptr;
    const int result = library->handle(index, &device);
    if (result != nvml::kSuccess && result != nvml::kGpuIsLost) {
      return CannotList(library, library->handle.name(), result);
    }
    if (result == nvml::kGpuIsLost) {
      ++listed.lost;
    } else if (auto added = AddGpu(reading, device, listed); !added) {
      return added;
    }
  }
  return {};
}

Result<void> NvmlDevices::AddGpu(nvml::Reading& reading, nvml::Device device, Listed& listed) {
  auto gpu = nvml::ReadGpu(reading, device);
  if (!gpu) return std::move(gpu).error();
  if (gpu->facts.is_lost) {
    ++listed.lost;
    return {};
  }
  listed.handles.emplace(gpu->address, device);
  listed.gpus.push_back(*std::move(gpu));
  return {};
}

// Who is missing of those that were there is who is lost.
void NvmlDevices::AddLost(Listed& listed) const {
  std::size_t unknown = listed.lost;
  for (const SeenGpu& known : known_) {
    if (unknown == 0) return;
    if (listed.Has(known.device.uuid)) continue;
    SeenGpu gpu{.address = known.address, .device = known.device, .pcie_gbps = known.pcie_gbps};
    gpu.facts.is_lost = true;
    listed.gpus.push_back(std::move(gpu));
    --unknown;
  }
  if (unknown == 0) return;
  listed.warnings.push_back(std::to_string(unknown) +
                            " lost GPUs that were never seen are left out");
}

SeenPair NvmlDevices::LookAtPair(const NvmlLibrary& library, const Listed& listed, const SeenGpu& a,
                                 const SeenGpu& b) {
  const bool has_same_numa_node = a.device.numa_node && a.device.numa_node == b.device.numa_node;
  const auto& [known, is_new] = known_classes_.try_emplace(
      {a.address, b.address},
      ClassOf(sysfs_.PathTo(a.address), sysfs_.PathTo(b.address), has_same_numa_node));
  SeenPair pair{.pcie = known->second};
  const auto first = listed.handles.find(a.address);
  const auto second = listed.handles.find(b.address);
  if (first == listed.handles.end() || second == listed.handles.end()) return pair;
  int level = 0;
  if (library->common_ancestor(first->second, second->second, &level) == nvml::kSuccess) {
    if (const auto pcie = ClassOfAncestor(level)) pair.pcie = known->second = *pcie;
  }
  if (!IsOnSwitch(a) || !IsOnSwitch(b)) return pair;
  int status = nvml::kP2pOk;
  if (library->p2p_status(first->second, second->second, nvml::kP2pNvLink, &status) ==
      nvml::kSuccess) {
    pair.can_use_switch = status == nvml::kP2pOk;
  }
  return pair;
}

Result<std::vector<model::GpuFault>> NvmlDevices::WaitFaults(Duration timeout) {
  auto session = sessions_.Get();
  if (!session) return std::move(session).error().Within(name());
  std::vector<model::GpuFault> faults;
  // A driver that floods us is heard out later.
  constexpr std::size_t kAtOnce = 100;
  for (Duration wait = timeout; faults.size() < kAtOnce; wait = Duration(0)) {
    auto more = (*session)->WaitFault(wait);
    if (!more && faults.empty()) {
      if (more.error().kind() != ErrorKind::kUnsupported) sessions_.Drop(*session);
      return std::move(more).error().Within(name());
    }
    if (!more || more->empty()) return faults;
    faults.insert(faults.end(), more->begin(), more->end());
  }
  return faults;
}

}  // namespace gs::gpu
