// Taints as people write them on one line.
#pragma once

#include <optional>
#include <string_view>

#include "core/model/taint.h"

namespace gs::model {

// "key=value:NoSchedule", or "key:NoSchedule". What its parts may be is not looked at.
[[nodiscard]] std::optional<Taint> ParseTaint(std::string_view text);

}  // namespace gs::model
