#include "core/model/fence.h"

#include <algorithm>
#include <ostream>

namespace gs::model {

Allocation AllocationOf(const InFlightPod& in_flight) {
  return {.pod = in_flight.pod.uid,
          .gpus = in_flight.gpus,
          .uuids = {},
          .mode = in_flight.mode,
          .claim = {},
          .controller = in_flight.controller,
          .is_enforced = in_flight.is_enforced};
}

InFlightPod InFlightOf(const PodRef& pod, const ResourceVersion& noted,
                       const Allocation& allocation) {
  return {.pod = pod,
          .noted = noted,
          .gpus = allocation.gpus,
          .mode = allocation.mode,
          .controller = allocation.controller,
          .is_enforced = allocation.is_enforced};
}

bool Clash(const InFlightPod& a, const InFlightPod& b) {
  if (a.gpus.node != b.gpus.node) return false;
  if (!a.is_enforced || !b.is_enforced) return true;
  return std::any_of(a.gpus.ids.begin(), a.gpus.ids.end(), [&b](GpuId id) {
    return std::find(b.gpus.ids.begin(), b.gpus.ids.end(), id) != b.gpus.ids.end();
  });
}

std::ostream& operator<<(std::ostream& out, const InFlightPod& in_flight) {
  return out << in_flight.pod << " to " << in_flight.gpus;
}

}  // namespace gs::model
