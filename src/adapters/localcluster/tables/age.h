// How kubectl shows how long ago something was: two units at most, the finer one only while it
// matters: 90s, 5m30s, 3h, 2d4h, 3y40d.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"

namespace gs::localcluster {

[[nodiscard]] std::string PrintAge(Duration age);
// Since a time as objects have it; "<unknown>" for "", "<invalid>" for what is no time.
[[nodiscard]] std::string AgeSince(std::string_view time, TimePoint now);

}  // namespace gs::localcluster
