// The devices of a GpuNodeStatus as their agent states them: the form of a machine file, read from
// the API server's JSON where it lies. Internal to this folder.
//
// There are thousands of reports with dozens of links each when a scheduler starts, so every field
// is looked at once. What the values have to do with each other is told by model::MakeMachine.
#pragma once

#include <vector>

#include "adapters/kube/objects/json_view.h"
#include "core/model/stated_machine.h"

namespace gs::kube {

// Refuses what is no GpuNodeStatus, fields that it does not have, and values that are out of their
// limits, through the views. Requires: the object has status.devices.
[[nodiscard]] std::vector<model::StatedDevice> ReadStatedDevices(const JsonView& root);

}  // namespace gs::kube
