// How an answer of the chooser is shown: a few aligned lines for people, one JSON object for
// programs.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "core/decide/devices/choice.h"
#include "core/decide/devices/topology.h"
#include "core/model/device.h"

namespace gs::kubectl_gpu {

// What the chooser was given. Borrowed for the length of a call.
struct Situation {
  const model::Machine& machine;
  const devices::Topology& topology;
  const devices::Availability& availability;
  const devices::Request& request;
};

// The GPUs that stay free and healthy once the choice is taken.
[[nodiscard]] std::vector<GpuId> LeftFree(const Situation& situation,
                                          const devices::Choice& choice);

// Both end with a line end. The keys of the JSON form are a contract; docs/kubectl-gpu.md lists
// them.
[[nodiscard]] std::string TextReport(const Situation& situation, const devices::Outcome& outcome);
[[nodiscard]] std::string JsonReport(const Situation& situation, const devices::Outcome& outcome);

}  // namespace gs::kubectl_gpu
