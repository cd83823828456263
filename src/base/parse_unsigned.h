// Unsigned numbers of 64 bits from text, as kernels print ids and sizes. Like base/parse.h, for
// what does not fit into a signed number.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace gs {

// The whole text must be decimal digits. Leading zeros are fine.
[[nodiscard]] Result<std::uint64_t> ParseUint64(std::string_view text);

}  // namespace gs
