// The answer to `kubectl exec`. Containers of simulated nodes have no programs to run, but an
// environment: `env` and `printenv` are answered, everything else is refused with a sentence.
#pragma once

#include <string>
#include <vector>

#include "adapters/http/server.h"
#include "adapters/localcluster/kubelet/container_outputs.h"
#include "adapters/localcluster/objects/fields.h"

namespace gs::localcluster {

struct ExecQuery {
  std::string container;  // empty: the only one there is
  std::vector<std::string> command;
};

// `headers` are those of the request: it has to ask for a WebSocket, as kubectl does.
[[nodiscard]] http::Reply AnswerExec(const Json& pod, const ExecQuery& query,
                                     const http::Headers& headers, const ContainerOutputs& outputs);

}  // namespace gs::localcluster
