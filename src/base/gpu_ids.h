// Lists of GPU ids as people write them: "0,2,5-7". Order is kept as written, because it becomes
// the order the container sees.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/text_cursor.h"

namespace gs {

// Far above any machine, and small enough that a range cannot exhaust memory.
inline constexpr std::int32_t kMaxGpuId = 65535;

enum class IdRanges : std::uint8_t {
  kAllowed,  // "5-7" stands for three ids
  kRefused,  // every id is written out
};

// Reads a list at the cursor and stops at the first character that cannot continue it. Blanks
// around ids are skipped. Refused: an empty list, an id given twice, a range that runs backwards.
[[nodiscard]] Result<std::vector<GpuId>> TakeGpuIds(TextCursor& cursor, IdRanges ranges);

// The whole text is one list; ranges are allowed.
[[nodiscard]] Result<std::vector<GpuId>> ParseGpuIds(std::string_view text);

// "0,2,5"
[[nodiscard]] std::string PrintGpuIds(const std::vector<GpuId>& ids);

}  // namespace gs
