#include "adapters/gpu/nvml/nvml_gpu.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "adapters/gpu/pod_of_process.h"

namespace gs::gpu::nvml {
namespace {

using model::LinkKind;
using model::RecoveryNeed;

PciAddress AddressOf(const PciInfo& pci) {
  return {.domain = pci.domain, .bus = pci.bus, .device = pci.device};
}

// NVML ends what it writes, but a broken one must not make us read on.
std::string TextOf(const std::array<char, kTextSize>& text) {
  return {text.begin(), std::find(text.begin(), text.end(), '\0')};
}

RecoveryNeed NeedOf(std::uint64_t action) {
  switch (action) {
    case 1: return RecoveryNeed::kReset;
    case 2: return RecoveryNeed::kReboot;
    case 3:
    case 4: return RecoveryNeed::kDrain;
    default: return RecoveryNeed::kNone;
  }
}

class GpuReader {
 public:
  GpuReader(Reading& reading, Device device)
      : reading_(reading), nvml_(reading.library.functions()), device_(device) {}

  Result<SeenGpu> Read() {
    auto identity = ReadIdentity();
    if (!identity) return std::move(identity).error();
    if (gpu_.facts.is_lost) return std::move(gpu_);
    ReadPlace();
    ReadMemory();
    ReadLinks();
    ReadFacts();
    ReadProcesses();
    return std::move(gpu_);
  }

 private:
  // Whether there is an answer. That a driver cannot tell something is no news; that a GPU is lost
  // is noted with it.
  template <class... Args, class... Values>
  bool Ask(const Function<Args...>& function, Values... values) {
    const int result = function(values...);
    if (result == kSuccess) return true;
    if (result == kGpuIsLost) {
      gpu_.facts.is_lost = true;
    } else if (result == kResetRequired) {
      gpu_.facts.recovery = RecoveryNeed::kReset;
    } else if (result != kNotSupported && result != kFunctionNotFound) {
      Warn(std::string(function.name()) + ": " + reading_.library.Describe(result));
    }
    return false;
  }

  void Warn(const std::string& message) {
    reading_.warnings.push_back(gpu_.device.uuid.text() + ": " + message);
  }

  Result<void> ReadIdentity() {
    PciInfo pci{};
    std::array<char, kTextSize> uuid{};
    for (const int result :
         {nvml_.pci(device_, &pci), nvml_.uuid(device_, uuid.data(), kTextSize)}) {
      if (result == kSuccess) continue;
      gpu_.facts.is_lost = result == kGpuIsLost;
      if (gpu_.facts.is_lost) return {};
      return Error(ErrorKind::kUnavailable,
                   "a GPU does not tell which one it is: " + reading_.library.Describe(result));
    }
    gpu_.address = AddressOf(pci);
    gpu_.device.uuid = GpuUuid(TextOf(uuid));
    return {};
  }

  void ReadPlace() {
    std::array<char, kTextSize> model{};
    if (Ask(nvml_.model, device_, model.data(), kTextSize)) gpu_.device.model = TextOf(model);
    unsigned generation = 0;
    unsigned lanes = 0;
    if (Ask(nvml_.pcie_generation, device_, &generation) &&
        Ask(nvml_.pcie_lanes, device_, &lanes)) {
      gpu_.pcie_gbps = PcieGbps(generation, lanes);
    }
    ReadNumaNode();
  }

  void ReadNumaNode() {
    constexpr unsigned kMaxNode = 65535;
    unsigned node = 0;
    if (Ask(nvml_.numa_node, device_, &node) && node <= kMaxNode) {
      gpu_.device.numa_node = static_cast<std::int32_t>(node);
      return;
    }
    const auto known = reading_.sysfs.NumaNode(gpu_.address);
    if (known) {
      gpu_.device.numa_node = *known;
    } else {
      Warn(ToString(known.error()));
    }
  }

  void ReadMemory() {
    constexpr std::uint64_t kMiB = 1 << 20;
    MemoryV2 memory{.version = kMemoryV2};
    Memory old{};
    if (Ask(nvml_.memory_v2, device_, &memory)) {
      gpu_.device.memory_mib = static_cast<std::int64_t>(memory.total / kMiB);
    } else if (Ask(nvml_.memory, device_, &old)) {
      gpu_.device.memory_mib = static_cast<std::int64_t>(old.total / kMiB);
    }
  }

  void ReadLinks() {
    for (unsigned link = 0; link < kMaxNvLinks; ++link) {
      int is_active = 0;
      const int result = nvml_.link_state(device_, link, &is_active);
      if (result == kInvalidArgument) return;  // there are no more
      if (result == kNotSupported || (result == kSuccess && is_active == 0)) continue;
      // Through Ask, so that a bad answer is noted.
      if (!Ask(nvml_.link_state, device_, link, &is_active)) return;
      if (auto seen = ReadLink(link)) gpu_.links.push_back(*std::move(seen));
    }
  }

  std::optional<SeenLink> ReadLink(unsigned link) {
    SeenLink seen;
    seen.bandwidth_gbps = LinkGbps(link);
    int type = kRemoteUnknown;
    // Drivers that do not know what is at the other end know no switches either.
    if (!Ask(nvml_.link_remote_type, device_, link, &type)) type = kRemoteGpu;
    if (type == kRemoteSwitch) {
      seen.kind = LinkKind::kNvSwitch;
      return seen;
    }
    PciInfo remote{};
    if (type != kRemoteGpu || !Ask(nvml_.link_remote_pci, device_, link, &remote)) {
      return std::nullopt;
    }
    seen.peer = AddressOf(remote);
    return seen;
  }

  // By its version, unless this product's links are slower.
  std::int32_t LinkGbps(unsigned link) {
    constexpr std::uint64_t kHalfMbPerGb = 500;  // MB/s one way to GB/s both ways
    constexpr std::uint64_t kMost = 1'000'000;
    unsigned version = 0;
    if (!Ask(nvml_.link_version, device_, link, &version)) return 0;
    FieldValue speed{.field = kFieldLinkSpeed, .scope = link};
    if (!Ask(nvml_.field_values, device_, 1, &speed) || speed.result != kSuccess ||
        speed.value == 0 || speed.value > kMost) {
      return NvLinkGbps(version);
    }
    return std::min(NvLinkGbps(version), static_cast<std::int32_t>(speed.value / kHalfMbPerGb));
  }

  void ReadFacts() {
    unsigned mig = 0;
    unsigned mig_pending = 0;
    if (Ask(nvml_.mig_mode, device_, &mig, &mig_pending)) gpu_.facts.has_mig = mig == 1;
    unsigned long long errors = 0;
    if (Ask(nvml_.ecc_errors, device_, kEccUncorrected, kEccVolatile, &errors)) {
      gpu_.facts.uncorrected_ecc = static_cast<std::int64_t>(errors);
    }
    ReadRemapping();
    FieldValue recovery{.field = kFieldRecoveryAction};
    if (Ask(nvml_.field_values, device_, 1, &recovery) && recovery.result == kSuccess &&
        gpu_.facts.recovery == RecoveryNeed::kNone) {
      gpu_.facts.recovery = NeedOf(recovery.value);
    }
  }

  // Rows since Ampere, pages before.
  void ReadRemapping() {
    unsigned corrected = 0;
    unsigned uncorrected = 0;
    unsigned is_pending = 0;
    unsigned has_failed = 0;
    int pages = 0;
    if (Ask(nvml_.remapped_rows, device_, &corrected, &uncorrected, &is_pending, &has_failed)) {
      gpu_.facts.has_remap_pending = is_pending != 0;
      gpu_.facts.has_remap_failed = has_failed != 0;
    } else if (Ask(nvml_.pages_pending, device_, &pages)) {
      gpu_.facts.has_remap_pending = pages != 0;
    }
  }

  void ReadProcesses() {
    const auto& compute = nvml_.processes_v3.is_there() ? nvml_.processes_v3 : nvml_.processes_v2;
    if (!ReadProcessesOf(compute)) return;
    reading_.sees_processes = true;
    ReadProcessesOf(nvml_.mps_processes);
  }

  bool ReadProcessesOf(const Function<Device, unsigned*, Process*>& function) {
    constexpr unsigned kMore = 16;  // may start between two calls
    std::vector<Process> processes(kMore);
    for (int attempt = 0; attempt < 3; ++attempt) {
      auto count = static_cast<unsigned>(processes.size());
      const int result = function(device_, &count, processes.data());
      if (result != kInsufficientSize) {
        if (result != kSuccess) return Ask(function, device_, &count, processes.data());
        processes.resize(std::min<std::size_t>(count, processes.size()));
        for (const Process& process : processes) AddProcess(process.pid);
        return true;
      }
      processes.resize(std::min(count, 1U << 16) + kMore);
    }
    Warn(std::string(function.name()) + ": the number of processes changes too fast");
    return false;
  }

  void AddProcess(std::int64_t pid) {
    for (const auto& known : gpu_.processes) {
      if (known.pid == pid) return;
    }
    gpu_.processes.push_back({.pid = pid, .pod = PodOfProcess(reading_.procfs, pid)});
  }

  Reading& reading_;
  const Functions& nvml_;
  Device device_;
  SeenGpu gpu_;
};

}  // namespace

Result<SeenGpu> ReadGpu(Reading& reading, Device device) {
  return GpuReader(reading, device).Read();
}

std::int32_t NvLinkGbps(unsigned version) {
  // 1.0, 2.0, 2.2, 3.0, 3.1, 4.0, 5.0, 6.0
  constexpr std::array<std::int32_t, 9> kByVersion{0, 40, 50, 50, 50, 50, 50, 100, 100};
  return version < kByVersion.size() ? kByVersion.at(version) : 0;
}

}  // namespace gs::gpu::nvml
