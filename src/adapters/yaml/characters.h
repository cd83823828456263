// Which bytes a YAML text may have at all: UTF-8 without control characters.
//
// The parser below does not look: to it the byte 0x04 is the end of the text, and it would silently
// drop the rest.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace gs::yaml {

// Offset of the first byte that is no UTF-8 or a control character other than tab, line feed and
// carriage return.
[[nodiscard]] std::optional<std::size_t> FindForbiddenByte(std::string_view text);

// Control characters are fine here: a quoted scalar can spell them.
[[nodiscard]] bool IsUtf8(std::string_view text);

// The text without a leading byte order mark.
[[nodiscard]] std::string_view WithoutByteOrderMark(std::string_view text);

}  // namespace gs::yaml
