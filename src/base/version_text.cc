#include "base/version_text.h"

#include "base/text.h"

namespace gs {
namespace {

// With as many digits every number fits.
constexpr std::size_t kMostDigits = 18;

// Only as numbers are printed: without zeros in front.
std::optional<std::uint64_t> ReadNumber(std::string_view text) {
  const bool has_leading_zero = text.size() > 1 && text.front() == '0';
  if (text.empty() || text.size() > kMostDigits || has_leading_zero) return std::nullopt;
  std::uint64_t number = 0;
  for (const char letter : text) {
    if (!text::IsDigit(letter)) return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(letter - '0');
  }
  return number;
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
