// A fault as the control interface writes it: {"kind": "delay", "before_ms": 20}.
#pragma once

#include <boost/json/value.hpp>
#include <string>

#include "base/result.h"
#include "tests/support/faults/fault.h"

namespace gs::crash {

// `path` names the value in a refusal.
[[nodiscard]] Result<testing::Fault> ReadFault(const boost::json::value& value, std::string path);

// The body that an API server would send with such a status.
[[nodiscard]] std::string StatusBody(int status);

}  // namespace gs::crash
