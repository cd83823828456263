#include "adapters/gpu/amd/kfd_topology.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "adapters/gpu/pci_sysfs.h"
#include "base/parse_unsigned.h"

namespace gs::gpu {
namespace {

constexpr std::uint64_t kXgmi = 11;
constexpr std::size_t kMaxEntries = 4096;
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 60;

// The numbers that name the entries of a folder, ascending. A folder that is not there has none.
Result<std::vector<std::uint64_t>> Numbers(const std::filesystem::path& folder) {
  std::vector<std::uint64_t> numbers;
  std::error_code failed;
  for (auto entry = std::filesystem::directory_iterator(folder, failed);
       !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
    auto number = ParseUint64(entry->path().filename().string());
    if (!number) return std::move(number).error().Within(entry->path().string());
    numbers.push_back(*number);
    if (numbers.size() > kMaxEntries) {
      return Error(ErrorKind::kInvalid, "has too many entries").Within(folder.string());
    }
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Result<std::string> ReadText(const std::filesystem::path& file) {
  auto text = ReadSysfs(file);
  if (!text) {
    return std::move(text).error().Advise(
        "the devices /dev/kfd and /dev/dri/renderD* have to be open to whoever reads this");
  }
  if (!*text) return Error(ErrorKind::kInvalid, "is missing").Within(file.string());
  return **std::move(text);
}

Result<KfdProperties> ReadProperties(const std::filesystem::path& file) {
  auto text = ReadText(file);
  if (!text) return std::move(text).error();
  return KfdProperties::Parse(*text).Within(file.string());
}

// Calls `add` with the properties of every entry.
template <class Add>
Result<void> ForEach(const std::filesystem::path& folder, Add add) {
  auto numbers = Numbers(folder);
  if (!numbers) return std::move(numbers).error();
  for (const std::uint64_t number : *numbers) {
    auto properties = ReadProperties(folder / std::to_string(number) / "properties");
    if (!properties) return std::move(properties).error();
    add(*properties);
  }
  return {};
}

Result<KfdGpu> ReadGpu(const std::filesystem::path& folder) {
  KfdGpu gpu;
  auto properties = ReadProperties(folder / "properties");
  if (!properties) return std::move(properties).error();
  gpu.properties = *std::move(properties);
  auto name = ReadSysfs(folder / "name");
  if (name && *name) gpu.name = **name;
  auto memory = ForEach(folder / "mem_banks", [&](const KfdProperties& bank) {
    // 1 and 2 are the memory of the GPU itself; others belong to the host.
    const std::uint64_t heap = bank.Get("heap_type");
    if (heap != 1 && heap != 2) return;
    gpu.memory_bytes =
        std::min(gpu.memory_bytes + std::min(bank.Get("size_in_bytes"), kMostMemory), kMostMemory);
  });
  if (!memory) return std::move(memory).error();
  const auto add_link = [&](const KfdProperties& link) {
    gpu.links.push_back({.is_xgmi = link.Get("type") == kXgmi,
                         .to = link.Get("node_to"),
                         .bandwidth_mbps = link.Get("max_bandwidth")});
  };
  for (const auto* kind : {"io_links", "p2p_links"}) {
    if (auto links = ForEach(folder / kind, add_link); !links) return std::move(links).error();
  }
  return gpu;
}

}  // namespace

PciAddress KfdGpu::address() const {
  const std::uint64_t location = properties.Get("location_id");
  return {.domain = static_cast<std::uint32_t>(properties.Get("domain")),
          .bus = static_cast<std::uint32_t>(location >> 8 & 0xff),
          .device = static_cast<std::uint32_t>(location >> 3 & 0x1f),
          .function = static_cast<std::uint32_t>(location & 7)};
}

Result<std::vector<KfdGpu>> ReadKfdTopology(const std::filesystem::path& kfd) {
  const auto folder = kfd / "topology/nodes";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    return Error(ErrorKind::kNotFound, "there is no " + folder.string());
  }
  auto nodes = Numbers(folder);
  if (!nodes) return std::move(nodes).error();
  std::vector<KfdGpu> gpus;
  for (const std::uint64_t node : *nodes) {
    const auto node_folder = folder / std::to_string(node);
    auto text = ReadText(node_folder / "gpu_id");
    if (!text) return std::move(text).error();
    auto gpu_id = ParseUint64(*text);
    if (!gpu_id) return std::move(gpu_id).error().Within((node_folder / "gpu_id").string());
    if (*gpu_id == 0) continue;  // a CPU
    auto gpu = ReadGpu(node_folder);
    if (!gpu) return std::move(gpu).error();
    gpu->node = node;
    gpu->gpu_id = *gpu_id;
    gpus.push_back(*std::move(gpu));
  }
  return gpus;
}

}  // namespace gs::gpu
