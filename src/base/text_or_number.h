// TextOrNumber: a shared text, or a number that stands for one. As large as a pointer: what the
// number says is its owner's business, and takes no memory besides.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/shared_text.h"

namespace gs {

class TextOrNumber {  // NOLINT(cppcoreguidelines-special-member-functions): assigned by value
 public:
  static constexpr std::uint64_t kMostNumber = ~std::uint64_t{0} >> 1U;

  TextOrNumber() = default;
  explicit TextOrNumber(SharedText text) noexcept : word_(text.Detach()) {}
  // Requires: it is at most kMostNumber.
  [[nodiscard]] static TextOrNumber Number(std::uint64_t number) {
    TextOrNumber value;
    value.word_ = number << 1U | 1U;  // texts are even
    return value;
  }

  TextOrNumber(const TextOrNumber& other) noexcept : word_(other.Copy()) {}
  TextOrNumber(TextOrNumber&& other) noexcept : word_(std::exchange(other.word_, 0)) {}
  TextOrNumber& operator=(TextOrNumber other) noexcept {
    std::swap(word_, other.word_);
    return *this;
  }
  ~TextOrNumber() {
    if (!is_number()) (void)SharedText::Attach(word_);
  }

  [[nodiscard]] bool empty() const { return word_ == 0; }
  [[nodiscard]] bool is_number() const { return (word_ & 1U) != 0; }
  // Requires: is_number().
  [[nodiscard]] std::uint64_t number() const { return word_ >> 1U; }
  // Requires: not is_number().
  [[nodiscard]] std::string_view view() const { return SharedText::ViewOf(word_); }
  // The same number or the same copy of a text.
  [[nodiscard]] bool IsSameCopy(const TextOrNumber& other) const { return word_ == other.word_; }

 private:
  static_assert(sizeof(std::uintptr_t) == sizeof(std::uint64_t));

  [[nodiscard]] std::uint64_t Copy() const noexcept {
    if (is_number()) return word_;
    SharedText mine = SharedText::Attach(word_);
    SharedText copy = mine;
    (void)mine.Detach();
    return copy.Detach();
  }

  std::uint64_t word_ = 0;
};

}  // namespace gs
