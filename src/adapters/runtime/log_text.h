// The two spellings of a log line: key=value for people, members of a JSON object for machines.
// Whatever bytes come in, a line stays one line, and a JSON line stays JSON.
#pragma once

#include <string>
#include <string_view>

#include "adapters/runtime/log.h"

namespace gs::runtime {

// The sentence that opens a line.
[[nodiscard]] std::string PrintMessage(LogFormat format, std::string_view message);
// One field with the separator before it: ` pod=a/b`, `,"pod":"a/b"`.
[[nodiscard]] std::string PrintField(LogFormat format, const LogField& field);

}  // namespace gs::runtime
