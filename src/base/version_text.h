// VersionText: a text that is usually a whole number, as versions of API servers are, and takes no
// memory of its own then. Any other text is kept as it is. Ordered as the texts are: which version
// is the later one is the business of base/resource_version.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/text_or_number.h"

namespace gs {

class VersionText {
 public:
  VersionText() = default;
  // Not explicit: it is the same text.
  VersionText(std::string_view text);   // NOLINT(google-explicit-constructor)
  VersionText(const std::string& text)  // NOLINT(google-explicit-constructor)
      : VersionText(std::string_view(text)) {}
  VersionText(const char* text)  // NOLINT(google-explicit-constructor)
      : VersionText(std::string_view(text)) {}

  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool empty() const { return value_.empty(); }
  [[nodiscard]] std::size_t hash() const { return std::hash<std::string>()(text()); }
  // Nothing where the text is no whole number, or one of more than eighteen digits.
  [[nodiscard]] std::optional<std::uint64_t> number() const {
    return value_.is_number() ? std::optional(value_.number()) : std::nullopt;
  }

  friend bool operator==(const VersionText& a, const VersionText& b) {
    if (a.value_.IsSameCopy(b.value_)) return true;
    const bool are_texts = !a.value_.is_number() && !b.value_.is_number();
    return are_texts && a.value_.view() == b.value_.view();
  }
  friend std::strong_ordering operator<=>(const VersionText& a, const VersionText& b) {
    return a == b ? std::strong_ordering::equal : a.text() <=> b.text();
  }

 private:
  TextOrNumber value_;
};

}  // namespace gs
