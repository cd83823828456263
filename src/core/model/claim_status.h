// What GpuClaim.status says: which pods hold GPUs through the claim, and why others wait. For
// people and their tools; no decision ever rests on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/node_gpus.h"
#include "core/model/pod.h"

namespace gs::model {

enum class ClaimPhase : std::uint8_t {
  kPending,    // no pod holds GPUs through it
  kAllocated,  // at least one does
};

[[nodiscard]] std::string_view ToString(ClaimPhase phase);
[[nodiscard]] std::optional<ClaimPhase> ParseClaimPhase(std::string_view text);

// How much of the list is written, and how many of its pods the one-line form names.
inline constexpr std::size_t kMostClaimAllocations = 100;
inline constexpr std::size_t kMostClaimPodsOnALine = 8;

struct ClaimAllocation {
  PodName pod;
  PodUid uid;
  NodeGpus gpus;
  std::vector<GpuUuid> uuids;  // in the order of gpus.ids; empty where no agent reports them
  bool is_enforced = true;     // false: a device plugin hands out the GPUs, the ids are a plan
  TimePoint since;             // when the pod was bound, in whole seconds

  friend bool operator==(const ClaimAllocation&, const ClaimAllocation&) = default;
};

struct ClaimCondition {
  std::string type;
  ConditionStatus status = ConditionStatus::kUnknown;
  std::string reason;   // one word, for programs
  std::string message;  // for people
  TimePoint since;      // when `status` became what it is, in whole seconds

  friend bool operator==(const ClaimCondition&, const ClaimCondition&) = default;
};

struct ClaimStatus {
  ClaimPhase phase = ClaimPhase::kPending;
  std::vector<ClaimAllocation> allocations;  // oldest first, at most kMostClaimAllocations
  std::int64_t allocated_count = 0;          // of all
  std::string allocated;                     // "node-a:0,1 node-b:3 +2"
  NodeName first_node;                       // of the first allocation, likewise
  std::vector<GpuId> first_ids;
  std::string message;
  std::vector<ClaimCondition> conditions;

  friend bool operator==(const ClaimStatus&, const ClaimStatus&) = default;
};

// "Allocated node-a:0,1 (1 pod holds GPUs)"
[[nodiscard]] std::string ToString(const ClaimStatus& status);
std::ostream& operator<<(std::ostream& out, const ClaimStatus& status);

}  // namespace gs::model
