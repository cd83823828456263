// What the scheduler says of every node of a snapshot.
#pragma once

#include <map>
#include <optional>

#include "base/ids.h"
#include "core/model/reason.h"
#include "tests/differential/verdicts/snapshot.h"

namespace gs::differential {

using Verdicts = std::map<NodeName, std::optional<model::Reason>>;  // absent: the pod fits

[[nodiscard]] Verdicts VerdictsOn(const Snapshot& snapshot);

}  // namespace gs::differential
