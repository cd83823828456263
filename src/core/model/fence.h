// What the fence says about pods that are being committed. The fence is one Lease for the whole
// cluster; every release keeps a record in it.
#pragma once

#include <iosfwd>

#include "base/ids.h"
#include "core/model/allocation.h"
#include "core/model/node_gpus.h"
#include "core/model/pod.h"

namespace gs::model {

// A pod that is being committed, with the GPUs that its Binding would give it.
struct InFlightPod {
  PodRef pod;
  ResourceVersion noted;  // of the pod when it was decided; its Binding holds for no other
  NodeGpus gpus;
  AllocationMode mode = AllocationMode::kExclusive;
  ControllerUid controller{};  // with kMap: whose pods may join
  bool is_enforced = true;     // false: a device plugin hands out the GPUs, and the ids are a plan

  friend bool operator==(const InFlightPod&, const InFlightPod&) = default;
};

// What the pod would hold, as far as the fence says.
[[nodiscard]] Allocation AllocationOf(const InFlightPod& in_flight);
[[nodiscard]] InFlightPod InFlightOf(const PodRef& pod, const ResourceVersion& noted,
                                     const Allocation& allocation);

// Whether two releases must not commit both at the same time: they are for the same GPU; or for the
// same node, where a device plugin counts GPUs for one of them and so nobody knows which it gives.
[[nodiscard]] bool Clash(const InFlightPod& a, const InFlightPod& b);

// "default/a to node-a:0,1"
std::ostream& operator<<(std::ostream& out, const InFlightPod& in_flight);

}  // namespace gs::model
