// The promise, checked from what the API server stored and from nothing else.
#pragma once

#include <optional>
#include <string>

#include "core/commit/simulation/server.h"

namespace gs::commit::simulation {

// At every revision: no GPU belongs to two live pods, unless all of them share it and they are no
// more than `sharers`. What was broken, or nothing.
[[nodiscard]] std::optional<std::string> FindDoubleAllocation(const Server& server, int sharers);

// When everything has come to rest: every bound, live pod has its Leases, no Lease is without such
// a pod, and no pod waits while there is room for it. What is not so, or nothing.
[[nodiscard]] std::optional<std::string> FindLoss(const Server& server, int gpus, int sharers);

}  // namespace gs::commit::simulation
