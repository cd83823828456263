// JSON text to boost::json::value, with a line and a column in every refusal.
//
// Stricter than the library below it: an object that names a key twice is refused, because readers
// of such a text do not agree on which of the two counts. No exception leaves this file.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace gs::json {

// What a text may cost at most. Deeper or larger texts are refused, never cut.
struct Limits {
  std::size_t max_bytes = std::size_t{64} << 20;
  std::size_t max_depth = 64;
};

// Exactly one value, blanks around it allowed. Must be UTF-8.
[[nodiscard]] Result<boost::json::value> ParseJson(std::string_view text,
                                                   const Limits& limits = {});

// The place of a byte of a text. Linear in the offset, so for error messages only.
[[nodiscard]] TextPlace PlaceAt(std::string_view text, std::size_t offset);

}  // namespace gs::json
