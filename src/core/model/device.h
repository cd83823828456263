// A GPU as its node's agent (or a machine file) reports it, and the GPUs of one node with their
// wiring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/shared_text.h"
#include "core/model/link.h"
#include "core/model/rare_list.h"

namespace gs::model {

enum class Health : std::uint8_t { kHealthy, kUnhealthy };

[[nodiscard]] std::string_view ToString(Health health);
[[nodiscard]] std::optional<Health> ParseHealth(std::string_view text);

// A cluster has tens of thousands, so it is small: texts that others have too can be one copy, and
// what most GPUs have nothing of takes no room.
struct GpuDevice {
  GpuId id;        // rank in PCI bus order: what CUDA counts
  GpuUuid uuid{};  // identity; empty where only a count is known
  SharedText model{};
  std::int64_t memory_mib = 0;
  SharedText pci_bus_id{};
  std::optional<std::int32_t> numa_node{};
  IslandName island{};              // empty: not stated, follows from the links
  std::int32_t bandwidth_gbps = 0;  // the best to any other GPU, both directions
  Health health = Health::kHealthy;
  SharedText health_reason{};
  RareList<std::string> in_use_by{};
  RareList<PodUid> residue{};  // pods that are gone but still have processes here

  friend bool operator==(const GpuDevice&, const GpuDevice&) = default;
};

std::ostream& operator<<(std::ostream& out, const GpuDevice& device);

inline constexpr std::size_t kMaxDevices = 64;  // of one node

// The GPUs of one node, ordered by id, and how they are wired: links.At(i, j) belongs to devices[i]
// and devices[j].
struct Machine {
  std::vector<GpuDevice> devices;
  LinkMatrix links;

  friend bool operator==(const Machine&, const Machine&) = default;
};

}  // namespace gs::model
