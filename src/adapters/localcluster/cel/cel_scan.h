// The text of a CEL expression as tokens.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gs::localcluster {

struct CelToken {
  enum class Kind : std::uint8_t { kEnd, kName, kLiteral, kSymbol };

  Kind kind = Kind::kEnd;
  std::string_view text;  // as written
  std::size_t offset = 0;
  boost::json::value literal;
};

// The last token is the end.
[[nodiscard]] Result<std::vector<CelToken>> ScanCel(std::string_view expression);

}  // namespace gs::localcluster
