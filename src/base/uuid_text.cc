#include "base/uuid_text.h"

#include <functional>
#include <optional>

namespace gs {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::uint64_t kFirstBit = std::uint64_t{1} << 63U;

constexpr bool IsDash(std::size_t place) {
  return place == 8 || place == 13 || place == 18 || place == 23;
}

// Only lower case: what is printed must be what was read.
std::optional<unsigned> DigitOf(char letter) {
  if (letter >= '0' && letter <= '9') return static_cast<unsigned>(letter - '0');
  if (letter >= 'a' && letter <= 'f') return static_cast<unsigned>(letter - 'a') + 10U;
  return std::nullopt;
}

struct Halves {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

std::optional<Halves> ReadUuid(std::string_view text) {
  constexpr std::size_t kSecondHalf = 19;
  Halves halves;
  for (std::size_t place = 0; place < text.size(); ++place) {
    if (IsDash(place)) {
      if (text[place] != '-') return std::nullopt;
      continue;
    }
    const auto digit = DigitOf(text[place]);
    if (!digit) return std::nullopt;
    std::uint64_t& half = place < kSecondHalf ? halves.first : halves.second;
    half = half << 4U | *digit;
  }
  return halves;
}

// What is shorter comes first.
std::uint64_t FirstBytes(std::string_view text) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < sizeof bytes; ++i) {
    bytes = bytes << 8U | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
  }
  return bytes;
}

}  // namespace

UuidText::UuidText(std::string_view text) {
  const auto halves = text.size() == kLength ? ReadUuid(text) : std::nullopt;
  // All that are made today have that bit set: it says which kind of UUID it is.
  if (halves && (halves->second & kFirstBit) != 0) {
    head_ = halves->first;
    rest_ = TextOrNumber::Number(halves->second & ~kFirstBit);
  } else {
    head_ = FirstBytes(text);
    rest_ = TextOrNumber(SharedText(text));
  }
}

std::string_view UuidText::Print(Buffer& buffer) const {
  if (!rest_.is_number()) return rest_.view();
  std::uint64_t first = head_;
  std::uint64_t second = rest_.number() | kFirstBit;
  constexpr std::uint64_t kLastDigit = 15;
  for (std::size_t place = kLength; place-- > 0;) {
    std::uint64_t& half = place > 18 ? second : first;
    buffer[place] = IsDash(place) ? '-' : kDigits[half & kLastDigit];
    if (!IsDash(place)) half >>= 4U;
  }
  return {buffer.data(), buffer.size()};
}

std::string UuidText::text() const {
  Buffer buffer{};
  return std::string(Print(buffer));
}

std::size_t UuidText::hash() const {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15ULL;
  if (!rest_.is_number()) return std::hash<std::string_view>()(rest_.view());
  return (head_ ^ rest_.number() >> 31U) * kFactor ^ rest_.number();
}

std::strong_ordering UuidText::CompareTexts(const UuidText& a, const UuidText& b) {
  Buffer of_a{};
  Buffer of_b{};
  return a.Print(of_a) <=> b.Print(of_b);
}

}  // namespace gs
