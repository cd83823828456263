// Who has which GPU, as values: for people, for programs that ask, and for metrics. Copied from the
// cache, so that it can be handed to another thread. Linear in the nodes and their GPUs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/cache/cache.h"
#include "core/cache/holders.h"
#include "core/cache/node_view.h"
#include "core/model/allocation.h"
#include "core/model/device.h"
#include "core/model/pod.h"

namespace gs::explain {

// Of several that hold, the later one is told.
enum class GpuState : std::uint8_t {
  kFree,
  kHeld,       // by one pod, or by several of one map
  kShared,     // by pods of shared claims
  kReleasing,  // its pods are gone, but perhaps not their processes
  kForeign,    // in use by a pod that is not ours, and only the number of such GPUs is known
  kUnhealthy,  // not given to anybody, held or not
};

inline constexpr std::string_view kGpuStates[] = {"free",      "held",    "shared",
                                                  "releasing", "foreign", "unhealthy"};

[[nodiscard]] constexpr std::string_view ToString(GpuState state) {
  return kGpuStates[static_cast<std::size_t>(state)];
}
[[nodiscard]] std::string_view ToString(cache::Evidence evidence);
[[nodiscard]] std::string_view ToString(cache::Handover handover);

struct HolderReport {
  model::PodRef pod;
  model::AllocationMode mode = model::AllocationMode::kExclusive;
  ClaimName claim;                        // empty: not through a claim
  std::optional<TimePoint> created;       // the pod; absent once it is gone
  std::vector<cache::Evidence> evidence;  // at least one
};

struct DeviceReport {
  model::GpuDevice device;  // only the id is set where no agent reports
  GpuState state = GpuState::kFree;
  std::vector<HolderReport> holders;
};

struct NodeReport {
  NodeName node;
  bool has_agent = false;
  bool is_cordoned = false;
  cache::Handover handover = cache::Handover::kNone;
  std::int64_t foreign = 0;  // GPUs that pods of others have, whichever these are
  std::vector<DeviceReport> devices;
};

// How many GPUs of the node pods have that are not known by id.
[[nodiscard]] std::int64_t ForeignGpus(const cache::Cache& cache, const cache::NodeView& view);

[[nodiscard]] NodeReport ReportNode(const cache::Cache& cache, const cache::NodeView& view);
// Nodes with GPUs, by name.
[[nodiscard]] std::vector<NodeReport> ReportGpus(const cache::Cache& cache);

using GpuCounts = std::map<GpuState, std::int64_t>;  // every state is in it

// Nodes with GPUs. What pods of others have is counted off the free ones.
[[nodiscard]] std::map<NodeName, GpuCounts> CountGpus(const cache::Cache& cache);

}  // namespace gs::explain
