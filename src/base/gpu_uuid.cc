#include "base/gpu_uuid.h"

#include <cstddef>
#include <optional>

#include "base/text.h"

namespace gs {
namespace {

// Where digits stand; the rest has to be as it is here.
constexpr std::string_view kForm = "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kDigitsInHalf = 16;

std::optional<std::uint64_t> DigitOf(char letter) {
  if (text::IsDigit(letter)) return static_cast<std::uint64_t>(letter - '0');
  if (letter >= 'a' && letter <= 'f') return static_cast<std::uint64_t>(letter - 'a' + 10);
  return std::nullopt;
}

struct Number {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

std::optional<Number> NumberOf(std::string_view text) {
  if (text.size() != kForm.size()) return std::nullopt;
  Number number;
  std::size_t digits = 0;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] != 'x') {
      if (text[i] != kForm[i]) return std::nullopt;
      continue;
    }
    const auto digit = DigitOf(text[i]);
    if (!digit) return std::nullopt;
    std::uint64_t& half = digits++ < kDigitsInHalf ? number.high : number.low;
    half = half << 4U | *digit;
  }
  return number;
}

}  // namespace

GpuUuid::GpuUuid(std::string_view text) {
  if (const auto number = NumberOf(text)) {
    high_ = number->high;
    low_ = number->low;
  }
  if (!is_number()) other_ = SharedText(std::string(text));
}

std::string GpuUuid::text() const {
  if (!is_number()) return std::string(other_.text());
  std::string text(kForm);
  std::size_t digits = 0;
  for (char& letter : text) {
    if (letter != 'x') continue;
    const std::uint64_t half = digits < kDigitsInHalf ? high_ : low_;
    letter = kDigits[half >> (4 * (kDigitsInHalf - 1 - digits % kDigitsInHalf)) & 0xFU];
    ++digits;
  }
  return text;
}

std::strong_ordering operator<=>(const GpuUuid& a, const GpuUuid& b) {
  // Digits stand in the order of their values, and all in the same places.
  if (a.is_number() && b.is_number()) {
    return a.high_ != b.high_ ? a.high_ <=> b.high_ : a.low_ <=> b.low_;
  }
  return a.text() <=> b.text();
}

}  // namespace gs
