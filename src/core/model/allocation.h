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
#include "core/model/labels.h"
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
  // False: a device plugin hands out the GPUs, and the ids are only a plan.
  bool is_enforced = true;

  friend bool operator==(const Allocation&, const Allocation&) = default;
};

// The gpu.scheduling/allocated annotation: "node-a:0,1".
[[nodiscard]] std::string AllocatedAnnotation(const Allocation& allocation);
[[nodiscard]] Result<NodeGpus> ParseAllocatedAnnotation(std::string_view text);

// The gpu.scheduling/allocation annotation, which says by what right, in this order:
//   v1 mode=shared enforced=true claim=pair controller=<uid>
// Claim and controller are left out where there is none. The UID of a controller is whatever its
// pod's author wrote, so it comes last and is the rest of the text.
// Requires: the claim is a Kubernetes name.
[[nodiscard]] std::string RightAnnotation(const Allocation& allocation);

// All that the Binding writes on the pod. Without GPUs: nothing. Where no agent reports UUIDs they
// are written as empty, so that what somebody else wrote there does not stay.
[[nodiscard]] Labels ResultAnnotations(const Allocation& allocation);

// The reverse. Together with the pod's namespace, name and scheduler it says everything about the
// locks of its GPUs. Refuses what it does not know: other versions, other keys, another number of
// UUIDs than GPUs. An empty gpu.scheduling/allocation or gpu.scheduling/allocated is refused too.
[[nodiscard]] Result<Allocation> ParseResultAnnotations(const PodUid& pod,
                                                        const Labels& annotations);

// "node-a:0,1 shared through claim pair (planned)"
[[nodiscard]] std::string ToString(const Allocation& allocation);
std::ostream& operator<<(std::ostream& out, const Allocation& allocation);

}  // namespace gs::model
