// Request: what processes send to the API server, what becomes of it there, and how it is printed.
#pragma once

#include <string>
#include <variant>

#include "adapters/kube/fence/fence_request.h"
#include "adapters/kube/fence/simulation/server.h"
#include "base/ids.h"
#include "core/model/command.h"
#include "core/model/event.h"

namespace gs::kube::simulation {

using Sent = std::variant<model::Command, FenceRequest>;
using Content = std::variant<model::Event, FenceAnswer>;  // of an answer

// The answer if nobody knows what became of it, or if it was turned away.
[[nodiscard]] Content FailureOf(const Sent& sent, model::WriteOutcome outcome);
// Executes it for a release in that namespace, and makes the answer to it.
[[nodiscard]] Content Execute(Server& server, const Namespace& ns, const model::Command& command);

[[nodiscard]] bool IsBinding(const Sent& sent);
[[nodiscard]] std::string Print(const Sent& sent);

}  // namespace gs::kube::simulation
