#include "adapters/gpu/amd/amd_devices.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "adapters/gpu/amd/kfd_text.h"
#include "adapters/gpu/amd/kfd_topology.h"
#include "adapters/gpu/machine_file.h"
#include "adapters/gpu/pod_of_process.h"
#include "adapters/gpu/seen_machine.h"
#include "base/parse_unsigned.h"

namespace gs::gpu {
namespace {

constexpr std::string_view kPartitioned = "in partitions (CPX or DPX)";

// As AMD's own tools write it.
GpuUuid UuidOf(std::uint64_t unique_id) {
  if (unique_id == 0) return {};
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "GPU-%016llx",
                static_cast<unsigned long long>(unique_id));  // NOLINT(google-runtime-int): printf
  return GpuUuid(text.data());
}

std::int32_t GbpsBothWays(std::uint64_t mbps_one_way) {
  constexpr std::uint64_t kMost = 100'000'000;
  return static_cast<std::int32_t>(std::min(mbps_one_way, kMost) / 500);
}

using Addresses = std::map<std::uint64_t, PciAddress>;  // by node

// One link towards every GPU that xGMI reaches, as fast as the fastest entry says.
std::vector<SeenLink> LinksOf(const KfdGpu& gpu, const Addresses& addresses) {
  std::map<PciAddress, std::int32_t> fastest;
  for (const KfdLink& link : gpu.links) {
    const auto peer = addresses.find(link.to);
    if (!link.is_xgmi || peer == addresses.end() || peer->second == gpu.address()) continue;
    std::int32_t& gbps = fastest.try_emplace(peer->second, 0).first->second;
    gbps = std::max(gbps, GbpsBothWays(link.bandwidth_mbps));
  }
  std::vector<SeenLink> links;
  links.reserve(fastest.size());
  for (const auto& [peer, gbps] : fastest) {
    links.push_back({.kind = model::LinkKind::kXgmi, .peer = peer, .bandwidth_gbps = gbps});
  }
  return links;
}

// What is read with KFD's answer in hand.
class AmdReading {
 public:
  AmdReading(const PciSysfs& pci, const std::filesystem::path& kfd,
             const std::filesystem::path& procfs)
      : pci_(pci), kfd_(kfd), procfs_(procfs) {}

  Result<model::DeviceReport> Read(const std::vector<KfdGpu>& gpus) {
    Addresses addresses;
    for (const KfdGpu& gpu : gpus) addresses.emplace(gpu.node, gpu.address());
    std::map<PciAddress, SeenGpu> seen;
    for (const KfdGpu& gpu : gpus) {
      const auto known = seen.find(gpu.address());
      if (known != seen.end()) {
        known->second.facts.stated = kPartitioned;
        continue;
      }
      auto added = ReadGpu(gpu, addresses);
      if (!added) return std::move(added).error();
      seen.emplace(gpu.address(), *std::move(added));
    }
    std::vector<SeenGpu> list;
    list.reserve(seen.size());
    for (auto& [address, gpu] : seen) list.push_back(std::move(gpu));
    if (list.size() > kMaxDevices) {
      return Error(ErrorKind::kUnsupported,
                   std::to_string(list.size()) + " GPUs; at most " + std::to_string(kMaxDevices));
    }
    return Assemble(std::move(list), [this](const SeenGpu& a, const SeenGpu& b) {
      const bool is_same_node = a.device.numa_node && a.device.numa_node == b.device.numa_node;
      return SeenPair{.pcie =
                          ClassOf(pci_.PathTo(a.address), pci_.PathTo(b.address), is_same_node)};
    });
  }

 private:
  Result<SeenGpu> ReadGpu(const KfdGpu& gpu, const Addresses& addresses) {
    SeenGpu seen{.address = gpu.address()};
    seen.device.uuid = UuidOf(gpu.properties.Get("unique_id"));
    seen.device.memory_mib = static_cast<std::int64_t>(gpu.memory_bytes >> 20);
    seen.links = LinksOf(gpu, addresses);
    auto numa = pci_.NumaNode(seen.address);
    if (!numa) return std::move(numa).error();
    seen.device.numa_node = *numa;
    auto slot = pci_.SlotGbps(seen.address);
    if (!slot) return std::move(slot).error();
    seen.pcie_gbps = *slot;
    auto product = ReadSysfs(pci_.FolderOf(seen.address) / "product_name");
    const bool has_product = product && *product && !(*product)->empty();
    seen.device.model = has_product ? **product : gpu.name;
    if (auto errors = ReadErrors(seen); !errors) return std::move(errors).error();
    if (auto found = ReadProcesses(gpu, seen); !found) return std::move(found).error();
    return seen;
  }

  Result<void> ReadErrors(SeenGpu& seen) const {
    const auto file = pci_.FolderOf(seen.address) / "ras/umc_err_count";
    auto text = ReadSysfs(file);
    if (!text) return std::move(text).error();
    if (!*text) return {};
    auto errors = ParseUncorrectedErrors(**text);
    if (!errors) return std::move(errors).error().Within(file.string());
    seen.facts.uncorrected_ecc = *errors;
    return {};
  }

  // proc/<pid>/vram_<gpu>: how many bytes a process has on a GPU. Processes come and go meanwhile.
  Result<void> ReadProcesses(const KfdGpu& gpu, SeenGpu& seen) const {
    std::error_code failed;
    for (auto entry = std::filesystem::directory_iterator(kfd_ / "proc", failed);
         !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
      const auto pid = ParseUint64(entry->path().filename().string());
      if (!pid || *pid > 0x7fffffff) continue;
      const auto file = entry->path() / ("vram_" + std::to_string(gpu.gpu_id));
      const auto text = ReadSysfs(file);
      if (!text || !*text) continue;
      auto bytes = ParseUint64(**text);
      if (!bytes) return std::move(bytes).error().Within(file.string());
      if (*bytes == 0) continue;
      const auto number = static_cast<std::int64_t>(*pid);
      seen.processes.push_back({.pid = number, .pod = PodOfProcess(procfs_, number)});
    }
    return {};
  }

  const PciSysfs& pci_;
  const std::filesystem::path& kfd_;
  const std::filesystem::path& procfs_;
};

}  // namespace

AmdDevices::AmdDevices(const std::filesystem::path& sysfs, std::filesystem::path procfs)
    : sysfs_(sysfs), kfd_(sysfs / "class/kfd/kfd"), procfs_(std::move(procfs)), pci_(sysfs) {}

Result<model::DeviceReport> AmdDevices::Read() {
  auto gpus = ReadKfdTopology(kfd_);
  if (!gpus) return std::move(gpus).error().Within(name());
  auto report = AmdReading(pci_, kfd_, procfs_).Read(*gpus);
  if (!report) return std::move(report).error().Within(name());
  std::error_code ignored;
  report->sees_processes = std::filesystem::is_directory(kfd_ / "proc", ignored);
  // Only drivers that are not the kernel's own have a version.
  const auto version = ReadSysfs(sysfs_ / "module/amdgpu/version");
  if (version && *version) report->driver_version = **version;
  return report;
}

}  // namespace gs::gpu
