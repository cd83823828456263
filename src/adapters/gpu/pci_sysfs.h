// What the kernel knows about PCI devices, whoever made them: NUMA node, place in the tree, speed
// of the slot. Every function says nothing where the kernel does not, and errs where it says
// nonsense.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/gpu/pci_address.h"
#include "base/result.h"
#include "core/model/link.h"

namespace gs::gpu {

// A small file of sysfs, without the blanks around its text; nothing if there is no such file.
[[nodiscard]] Result<std::optional<std::string>> ReadSysfs(const std::filesystem::path& file);

class PciSysfs {
 public:
  explicit PciSysfs(const std::filesystem::path& sysfs) : devices_(sysfs / "bus/pci/devices") {}

  [[nodiscard]] std::filesystem::path FolderOf(const PciAddress& address) const {
    return devices_ / ToString(address);
  }
  [[nodiscard]] Result<std::optional<std::int32_t>> NumaNode(const PciAddress& address) const;
  // GB/s of the slot, both directions; 0: unknown.
  [[nodiscard]] Result<std::int32_t> SlotGbps(const PciAddress& address) const;
  // The host bridge, the bridges below it and the device itself, by name; empty: unknown.
  [[nodiscard]] std::vector<std::string> PathTo(const PciAddress& address) const;

 private:
  std::filesystem::path devices_;
};

// "16.0 GT/s PCIe" is generation 4.
[[nodiscard]] Result<std::uint32_t> ParseLinkSpeed(std::string_view text);

// How near two devices are by their paths; unknown paths are far apart.
[[nodiscard]] model::PcieClass ClassOf(const std::vector<std::string>& a,
                                       const std::vector<std::string>& b, bool has_same_numa_node);

}  // namespace gs::gpu
