// The pods of one scheduler, as values: where they are, or why they are nowhere yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/cache/cache.h"
#include "core/model/allocation.h"
#include "core/model/pod.h"
#include "core/model/reason.h"
#include "core/pending/pending.h"

namespace gs::explain {

enum class PodState : std::uint8_t {
  kGated,     // somebody holds it back
  kWaiting,   // has no place, or its turn is to come
  kInFlight,  // has a place, and is not seen bound there yet
  kBound,
};

[[nodiscard]] std::string_view ToString(PodState state);

struct PodReport {
  model::PodRef pod;
  TimePoint created;
  PodState state = PodState::kWaiting;
  NodeName node;                                // bound or in flight
  std::optional<model::Allocation> allocation;  // likewise; absent: no GPUs
  ClaimName claim;                              // that it names, if it does
  std::optional<pending::Wait> wait;            // not once it is bound
  std::optional<model::Reason> reason;          // set: it was tried and has no place
};

[[nodiscard]] PodReport ReportPod(const cache::PodRecord& record, const cache::Cache& cache,
                                  const pending::Pending& pending);

// Without those that have ended; by namespace and name. Linear in all pods of the cluster.
[[nodiscard]] std::vector<PodReport> ReportPods(const cache::Cache& cache,
                                                const pending::Pending& pending,
                                                const SchedulerName& scheduler);

// Linear in all pods of the cluster.
[[nodiscard]] std::size_t CountGated(const cache::Cache& cache, const SchedulerName& scheduler);

}  // namespace gs::explain
