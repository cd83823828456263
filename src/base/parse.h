// Integers from text, checked: digits with an optional '-', nothing else, within a range. The only
// place where text becomes a number without a unit.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "base/result.h"
#include "base/text_cursor.h"

namespace gs {

// Both ends belong to the range.
struct IntegerRange {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

inline constexpr IntegerRange kInt32Range{std::numeric_limits<std::int32_t>::min(),
                                          std::numeric_limits<std::int32_t>::max()};

// Reads the integer at the cursor and stops behind its last digit. `what` is how an error calls it,
// with its article: "a GPU id".
[[nodiscard]] Result<std::int64_t> TakeInteger(TextCursor& cursor, std::string_view what,
                                               IntegerRange range);

// The whole text must be the integer: no blanks, no '+', no trailing characters. Leading zeros are
// fine.
[[nodiscard]] Result<std::int64_t> ParseInt64(std::string_view text, IntegerRange range = {});
// Requires: the range lies within 32 bits.
[[nodiscard]] Result<std::int32_t> ParseInt32(std::string_view text,
                                              IntegerRange range = kInt32Range);

}  // namespace gs
