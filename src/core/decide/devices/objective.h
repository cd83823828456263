// What "best" means, as a key per set: the larger key wins, field by field. Every search of this
// folder, direct or by table, asks this file and nothing else, so they cannot disagree.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "core/decide/devices/choice.h"
#include "core/decide/devices/gpu_set.h"
#include "core/decide/devices/topology.h"

namespace gs::devices {

enum class Aim : std::uint8_t {
  kTogether,  // contiguous or preferIds, mode Preferred or Required
  kAdjacent,  // contiguous or preferIds, mode Ignore
  kApart,     // spread
};

[[nodiscard]] Aim AimOf(const Request& request);

// Pairs of the set that lie in one of the groups.
[[nodiscard]] std::int64_t PairsInside(const std::vector<GpuSet>& groups, GpuSet set);

struct Key {
  std::int64_t sharing = 0;      // Shared: packs onto GPUs that are shared already
  std::int64_t first = 0;        // of the set alone, decided before the partition
  std::int64_t partition = 0;    // of the set and of what it leaves
  std::int64_t last = 0;         // of the set alone, decided after the partition
  std::uint64_t lowest_ids = 0;  // larger for lower ids; unique per set

  friend auto operator<=>(const Key&, const Key&) = default;
};

class Objective {
 public:
  // Keeps a reference to both arguments.
  Objective(const Topology& topology, const Availability& availability, Aim aim)
      : topology_(topology), availability_(availability), aim_(aim) {}

  [[nodiscard]] Aim aim() const { return aim_; }

  // The parts of the key that need the set alone.
  [[nodiscard]] std::int64_t Sharing(GpuSet set) const;
  [[nodiscard]] std::int64_t First(GpuSet set) const;
  [[nodiscard]] std::int64_t Last(GpuSet set) const;
  [[nodiscard]] static std::uint64_t LowestIds(GpuSet set);

  // The partition part is a sum of these two: of the set, and of `rest` unused GPUs whose best
  // partition has `rest_score`.
  [[nodiscard]] std::int64_t PartitionOfSet(std::int64_t set_score) const;
  [[nodiscard]] std::int64_t PartitionOfRest(GpuSet rest, std::int64_t rest_score) const;

  [[nodiscard]] Key KeyOf(GpuSet set, GpuSet rest, std::int64_t rest_score) const;

 private:
  const Topology& topology_;
  const Availability& availability_;
  Aim aim_;
};

}  // namespace gs::devices
