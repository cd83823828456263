// A GPU as its node's agent (or a machine file) reports it, and the GPUs of one node with their
// wiring.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "core/model/link.h"

namespace gs::model {

enum class Health : std::uint8_t { kHealthy, kUnhealthy };

[[nodiscard]] std::string_view ToString(Health health);
[[nodiscard]] std::optional<Health> ParseHealth(std::string_view text);

struct GpuDevice {
  GpuId id;      // rank in PCI bus order: what CUDA counts
  GpuUuid uuid;  // identity; empty where only a count is known
  std::string model;
  std::int64_t memory_mib = 0;
  std::string pci_bus_id;
  std::optional<std::int32_t> numa_node;
  IslandName island;                // empty: not stated, follows from the links
  std::int32_t bandwidth_gbps = 0;  // the best to any other GPU, both directions
  Health health = Health::kHealthy;
  std::string health_reason;
  std::vector<std::string> in_use_by;
  std::vector<PodUid> residue;  // pods that are gone but still have processes here

  friend bool operator==(const GpuDevice&, const GpuDevice&) = default;
};

std::ostream& operator<<(std::ostream& out, const GpuDevice& device);

// The GPUs of one node, ordered by id, and how they are wired: links.At(i, j) belongs to devices[i]
// and devices[j].
struct Machine {
  std::vector<GpuDevice> devices;
  LinkMatrix links;

  friend bool operator==(const Machine&, const Machine&) = default;
};

}  // namespace gs::model
