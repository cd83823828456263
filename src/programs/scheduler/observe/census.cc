#include "programs/scheduler/observe/census.h"

#include "core/explain/pod_report.h"

namespace gs::scheduler {

Census TakeCensus(const cycle::Cycle& cycle, explain::PlaceableSets& sets) {
  return {.pending = cycle.pending().Count(),
          .gated = explain::CountGated(cycle.cache(), cycle.scheduler()),
          .in_flight = cycle.in_flight(),
          .nodes = cycle.cache().nodes().size(),
          .pods = cycle.cache().pods().size(),
          .gpus = explain::CountGpus(cycle.cache()),
          .placeable = sets.Update(cycle.cache()),
          .is_synced = cycle.is_synced(),
          .is_leading = cycle.is_deciding()};
}

}  // namespace gs::scheduler
