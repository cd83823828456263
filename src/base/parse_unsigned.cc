#include "base/parse_unsigned.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

#include "base/text.h"

namespace gs {

Result<std::uint64_t> ParseUint64(std::string_view text) {
  constexpr std::size_t kShown = 24;
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_digits = !text.empty() && std::all_of(text.begin(), text.end(), text::IsDigit);
  if (is_digits && read.ec == std::errc()) return value;
  return Error(ErrorKind::kInvalid, "expected a whole number below 2^64, got \"" +
                                        std::string(text.substr(0, kShown)) + "\"");
}

}  // namespace gs
