// What the chooser is asked and what it answers: plain values.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "core/decide/devices/gpu_set.h"
#include "core/model/claim.h"

namespace gs::devices {

struct Request {
  std::int32_t count = 1;
  model::DevicePolicy policy = model::DevicePolicy::kContiguous;
  std::vector<GpuId> prefer_ids;  // read with kPreferIds only
  model::TopologyMode mode = model::TopologyMode::kPreferred;
  std::int32_t min_bandwidth_gbps = 0;  // read with kRequired; 0: any
  model::Exclusivity exclusivity = model::Exclusivity::kExclusive;
  std::int32_t share_cap = 4;       // pods per shared GPU
  std::vector<GpuId> must_include;  // every set must have these; map pods name all of theirs

  friend bool operator==(const Request&, const Request&) = default;
};

// Who may be given what, at one moment. A GPU that is neither unused nor has sharers is held
// exclusively.
struct Availability {
  GpuSet unused;                                 // held by nobody
  std::array<std::int32_t, kMaxGpus> sharers{};  // pods that share a GPU; 0 for all others
  GpuSet unhealthy;                              // never given, whatever the rest says

  [[nodiscard]] static Availability AllFree(std::size_t gpus) {
    return {.unused = GpuSet::FirstN(gpus), .sharers = {}, .unhealthy = {}};
  }
  friend bool operator==(const Availability&, const Availability&) = default;
};

// The set taken, and the figures that made it the best one.
struct Choice {
  GpuSet set;
  std::vector<GpuId> ids;               // ascending
  std::int32_t islands = 0;             // islands the set touches
  std::int64_t partition_score = 0;     // the set and the best partition of what it leaves
  std::int64_t set_score = 0;           // pair scores inside the set
  std::int32_t runs = 0;                // runs of consecutive ids
  std::int32_t span = 0;                // highest id minus lowest
  std::int32_t min_bandwidth_gbps = 0;  // of the slowest pair; 0: a single GPU, or not reported
  bool is_exact = true;                 // false only where choose.h says the search is bounded

  friend bool operator==(const Choice&, const Choice&) = default;
};

enum class MissReason : std::uint8_t {
  kBadRequest,          // count below 1, cap below 1
  kMoreThanNodeHas,     // the node would have to grow
  kNotEnoughFree,       // GPUs are held or unhealthy
  kMustIncludeUnknown,  // a named id does not exist on the node
  kMustIncludeTaken,    // a named id is held or unhealthy
  kMustIncludeTooMany,  // more ids named than GPUs asked for
  kIslandTooSmall,      // Required: no island has that many free GPUs
  kBandwidthTooLow,     // Required: an island is large enough, but a pair is too slow
  kMustIncludeApart,    // Required: the named ids cannot be in one such set
};

// Why there is no set, and the nearest thing to one.
struct Miss {
  MissReason reason = MissReason::kNotEnoughFree;
  std::int32_t asked = 0;
  std::int32_t node_has = 0;
  std::int32_t available = 0;  // healthy and free, or with room to share
  std::int32_t unhealthy = 0;
  std::vector<GpuId> offending;  // the must-include ids that are the trouble
  std::int32_t asked_bandwidth_gbps = 0;
  std::vector<GpuId> largest_fit;  // Required: the largest set that would satisfy it
  std::int32_t best_bandwidth_gbps =
      0;  // Required: best slowest pair of a set of the asked size in one island
  std::vector<GpuId> if_preferred;  // Required: what mode Preferred would give now

  friend bool operator==(const Miss&, const Miss&) = default;
};

using Outcome = std::variant<Choice, Miss>;

// A sentence a user can act on.
[[nodiscard]] std::string ToString(const Miss& miss);
std::ostream& operator<<(std::ostream& out, const Choice& choice);
std::ostream& operator<<(std::ostream& out, const Miss& miss);

}  // namespace gs::devices
