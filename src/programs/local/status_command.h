// `gpu-local status` and `gpu-local down`: another process's cluster, looked at and ended.
#pragma once

#include <string>

#include "base/result.h"
#include "programs/local/options.h"

namespace gs::local {

// What to print. An error if none of that name runs.
[[nodiscard]] Result<std::string> ShowStatus(const StatusOptions& options);

// Ends it and waits until nothing is left of it. Fine if none runs.
[[nodiscard]] Result<std::string> EndCluster(const DownOptions& options);

}  // namespace gs::local
