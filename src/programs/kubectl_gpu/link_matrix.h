// How GPUs of one machine are linked to each other, as a square for people.
#pragma once

#include <string>

#include "core/decide/devices/gpu_set.h"
#include "core/decide/devices/topology.h"
#include "core/model/device.h"

namespace gs::kubectl_gpu {

// Rows and columns are the ids of the set. Every line ends with a line end.
[[nodiscard]] std::string PrintLinks(const model::Machine& machine,
                                     const devices::Topology& topology, devices::GpuSet set);

}  // namespace gs::kubectl_gpu
