// The one line that tells which GPUs a container was given.
#pragma once

#include <string>

#include "programs/check/options.h"

namespace gs::check {

// "Node: node1, CUDA_VISIBLE_DEVICES: 0,1", without a line end.
[[nodiscard]] std::string ReportLine(const std::string& node, const Environment& environment);

}  // namespace gs::check
