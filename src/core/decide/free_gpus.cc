#include "core/decide/free_gpus.h"

namespace gs::decide {

devices::Availability FreeGpus::availability() const {
  return {
      .unused = devices::GpuSet(unused), .sharers = {}, .unhealthy = devices::GpuSet(unhealthy)};
}

FreeGpus FreeGpusOf(const cache::NodeView& view, TopologyMemo& topologies) {
  FreeGpus gpus{.topology = topologies.Of(view)};
  if (!gpus.topology) return gpus;
  const devices::Availability availability = AvailabilityOf(view, *gpus.topology, PodUid());
  gpus.unused = availability.unused.bits();
  gpus.unhealthy = availability.unhealthy.bits();
  return gpus;
}

}  // namespace gs::decide
