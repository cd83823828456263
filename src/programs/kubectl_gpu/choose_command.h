// `kubectl-gpu choose`: reads the machine, asks the chooser the scheduler asks, and renders its
// answer.
#pragma once

#include <string>

#include "base/result.h"
#include "core/decide/devices/choice.h"
#include "core/decide/devices/topology.h"
#include "core/model/device.h"
#include "programs/kubectl_gpu/choose_options.h"

namespace gs::kubectl_gpu {

struct ChooseAnswer {
  std::string text;  // what goes to stdout
  bool is_found = false;
};

// Refuses a machine that cannot be read and options that do not fit it.
[[nodiscard]] Result<ChooseAnswer> AnswerChoose(const ChooseOptions& options);

// Who may be given what, from the options and from what the machine file says about its GPUs.
[[nodiscard]] Result<devices::Availability> AvailabilityOf(const model::Machine& machine,
                                                           const devices::Topology& topology,
                                                           const ChooseOptions& options);

}  // namespace gs::kubectl_gpu
