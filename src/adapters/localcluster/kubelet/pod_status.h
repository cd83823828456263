// The status of a pod as its kubelet writes it: phase, conditions, addresses, and what each
// container does. A function of what the kubelet knows.
#pragma once

#include <string>
#include <string_view>

#include "adapters/localcluster/kubelet/pod_run.h"

namespace gs::localcluster {

struct PodAddresses {
  std::string host_ip;
  std::string pod_ip;  // empty until the pod has one
};

[[nodiscard]] std::string_view PhaseOf(const PodRun& run);

// The whole status: what others wrote into it, such as conditions of the scheduler, stays.
[[nodiscard]] Json StatusOf(const PodRun& run, const Json& pod, const PodAddresses& addresses,
                            TimePoint now);

}  // namespace gs::localcluster
