// The GPUs that KFD lists, as it lists them: by node number, with links to other nodes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "adapters/gpu/amd/kfd_text.h"
#include "adapters/gpu/pci_address.h"
#include "base/result.h"

namespace gs::gpu {

struct KfdLink {
  bool is_xgmi = false;
  std::uint64_t to = 0;              // a node number
  std::uint64_t bandwidth_mbps = 0;  // MB/s in one direction; 0: unknown
};

struct KfdGpu {
  std::uint64_t node = 0;
  std::uint64_t gpu_id = 0;  // KFD's own name for it, never 0
  std::string name;          // of the chip
  KfdProperties properties;
  std::uint64_t memory_bytes = 0;
  std::vector<KfdLink> links;

  [[nodiscard]] PciAddress address() const;
};

// Ordered by node. kNotFound: there is no such driver. `kfd`: /sys/class/kfd/kfd.
[[nodiscard]] Result<std::vector<KfdGpu>> ReadKfdTopology(const std::filesystem::path& kfd);

}  // namespace gs::gpu
