// How a resource quantity is written: text to exact billionths and back. Used by quantity.cc alone;
// everybody else uses Quantity.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace gs::quantity_text {

__extension__ typedef __int128 Int128;

inline constexpr Int128 kNanosPerUnit = 1'000'000'000;
// 2^63-1 units, the largest amount that is told apart.
inline constexpr Int128 kMaxNanos = Int128{0x7fffffffffffffff} * kNanosPerUnit;

struct Amount {
  Int128 nanos = 0;  // from -kMaxNanos to kMaxNanos
  bool is_binary = false;
};

[[nodiscard]] Result<Amount> Parse(std::string_view text);
[[nodiscard]] std::string Print(const Amount& amount);

}  // namespace gs::quantity_text
