// Census: what stands at one moment, in numbers. Linear in the nodes and pods of the cluster, so it
// is taken when somebody asks and not at every run.
#pragma once

#include <cstddef>
#include <map>

#include "core/cycle/cycle.h"
#include "core/decide/score/placeable.h"
#include "core/explain/gpu_report.h"
#include "core/explain/placeable_sets.h"
#include "core/pending/pending.h"

namespace gs::scheduler {

struct Census {
  pending::PendingCounts pending;
  std::size_t gated = 0;
  std::size_t in_flight = 0;
  std::size_t nodes = 0;
  std::size_t pods = 0;
  std::map<NodeName, explain::GpuCounts> gpus;
  score::SetCounts placeable;
  bool is_synced = false;
  bool is_leading = false;
};

// `sets` are those of the cycle's cache, brought up to date.
[[nodiscard]] Census TakeCensus(const cycle::Cycle& cycle, explain::PlaceableSets& sets);

}  // namespace gs::scheduler
