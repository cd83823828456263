// UuidText: a text that is usually a UUID as API servers write them, and takes no memory of its own
// then: 5f1c2d3e-9a52-4d5e-8b0e-0a1b2c3d4e5f is sixteen bytes. Any other text is kept as it is.
// Ordered as the texts are.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/text_or_number.h"

namespace gs {

class UuidText {
 public:
  UuidText() = default;
  // Not explicit: it is the same text.
  UuidText(std::string_view text);   // NOLINT(google-explicit-constructor)
  UuidText(const std::string& text)  // NOLINT(google-explicit-constructor)
      : UuidText(std::string_view(text)) {}
  UuidText(const char* text)  // NOLINT(google-explicit-constructor)
      : UuidText(std::string_view(text)) {}

  UuidText(const UuidText&) = default;
  UuidText& operator=(const UuidText&) = default;
  // What is left is as if it had never been.
  UuidText(UuidText&& other) noexcept
      : head_(std::exchange(other.head_, 0)), rest_(std::move(other.rest_)) {}
  UuidText& operator=(UuidText&& other) noexcept {
    head_ = std::exchange(other.head_, 0);
    rest_ = std::move(other.rest_);
    return *this;
  }
  ~UuidText() = default;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool empty() const { return rest_.empty(); }
  [[nodiscard]] std::size_t hash() const;

  friend bool operator==(const UuidText& a, const UuidText& b) {
    if (a.head_ != b.head_) return false;
    return a.rest_.IsSameCopy(b.rest_) || std::is_eq(a <=> b);
  }
  friend std::strong_ordering operator<=>(const UuidText& a, const UuidText& b) {
    // Two of a kind are ordered as their first bytes are, and two UUIDs as their others then.
    if (a.rest_.is_number() != b.rest_.is_number()) return CompareTexts(a, b);
    if (a.head_ != b.head_) return a.head_ <=> b.head_;
    if (a.rest_.IsSameCopy(b.rest_)) return std::strong_ordering::equal;
    return a.rest_.is_number() ? a.rest_.number() <=> b.rest_.number() : CompareTexts(a, b);
  }

 private:
  static constexpr std::size_t kLength = 36;
  using Buffer = std::array<char, kLength>;

  [[nodiscard]] std::string_view Print(Buffer& buffer) const;
  static std::strong_ordering CompareTexts(const UuidText& a, const UuidText& b);

  std::uint64_t head_ = 0;  // the first half of the UUID, or the first bytes of the text
  TextOrNumber rest_;       // the other half without its first bit, which is set; or the text
};

}  // namespace gs
