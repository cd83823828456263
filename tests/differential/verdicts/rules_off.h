// Rules switched off, to see that the comparison notices: what a rule goes by is taken out of the
// snapshot after it was read, so that the scheduler itself needs no switch.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "tests/differential/verdicts/snapshot.h"

namespace gs::differential {

using SwitchOff = void (*)(Snapshot& snapshot);

[[nodiscard]] Result<SwitchOff> FindRule(std::string_view name);
// "resources, taints"
[[nodiscard]] std::string RuleNames();

}  // namespace gs::differential
