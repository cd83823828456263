#include "base/version_text.h"

#include "base/parse_unsigned.h"

namespace gs {
namespace {

// With as many digits every number fits.
constexpr std::size_t kMostDigits = 18;

// Only as numbers are printed: without zeros in front.
std::optional<std::uint64_t> ReadNumber(std::string_view text) {
  const bool has_leading_zero = text.size() > 1 && text.front() == '0';
  if (text.size() > kMostDigits || has_leading_zero) return std::nullopt;
  const auto number = ParseUint64(text);
  return number ? std::optional(*number) : std::nullopt;
}

}  // namespace

VersionText::VersionText(std::string_view text) {
  const auto number = ReadNumber(text);
  value_ = number ? TextOrNumber::Number(*number) : TextOrNumber(SharedText(text));
}

std::string VersionText::text() const {
  return value_.is_number() ? std::to_string(value_.number()) : std::string(value_.view());
}

}  // namespace gs
