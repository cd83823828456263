// Which GPUs one pod holds, and by what right. It exists exactly as long as a bound pod that is not
// terminal carries it.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "core/model/node_gpus.h"

namespace gs::model {

// Who else may hold the same GPU.
enum class AllocationMode : std::uint8_t {
  kExclusive,  // nobody
  kShared,     // other shared pods, up to a number
  kMap,        // pods of the same controller whose map names it too
};

[[nodiscard]] std::string_view ToString(AllocationMode mode);
[[nodiscard]] std::optional<AllocationMode> ParseAllocationMode(std::string_view text);

struct Allocation {
  PodUid pod;
  NodeGpus gpus;
  std::vector<GpuUuid> uuids;  // in the order of gpus.ids; empty where no agent reports them
  AllocationMode mode = AllocationMode::kExclusive;
  ClaimName claim;           // empty: not through a claim
  ControllerUid controller;  // empty: a bare pod
  bool is_enforced =
      true;  // false: a device plugin hands out the GPUs, and the ids are only a plan

  friend bool operator==(const Allocation&, const Allocation&) = default;
};

// The gpu.scheduling/allocated annotation: "node-a:0,1".
[[nodiscard]] std::string AllocatedAnnotation(const Allocation& allocation);
[[nodiscard]] Result<NodeGpus> ParseAllocatedAnnotation(std::string_view text);

// "node-a:0,1 shared through claim pair (planned)"
[[nodiscard]] std::string ToString(const Allocation& allocation);
std::ostream& operator<<(std::ostream& out, const Allocation& allocation);

}  // namespace gs::model
