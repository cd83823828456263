// The agent as a process: what is read of the GPUs and watched of the cluster feeds the hearts of
// its nodes, their commands go to the API server, and the answers come back. One thread runs the
// hearts; everything else hands it events.
#pragma once

#include <stop_token>
#include <string_view>
#include <vector>

#include "adapters/runtime/log.h"
#include "base/result.h"
#include "programs/agent/options.h"
#include "programs/agent/reading.h"

namespace gs::agent {

// Until SIGTERM or SIGINT. An error is why it could not work. An API server that is away is waited
// for.
[[nodiscard]] Result<void> RunAgent(const ProgramOptions& options, std::vector<NodeDevices> nodes,
                                    std::string_view version, const runtime::Logger& log);

// The same for a process that has other work too: until it is told to stop. With more than one node
// everything of the cluster is watched, not only what concerns a node.
[[nodiscard]] Result<void> RunAgentsUntil(const std::stop_token& stop,
                                          const ProgramOptions& options,
                                          std::vector<NodeDevices> nodes, std::string_view version,
                                          const runtime::Logger& log);

}  // namespace gs::agent
