// SharedText: a text that never changes, so that its copies are one. As large as a pointer.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <string>
#include <utility>

namespace gs {

class SharedText {  // NOLINT(cppcoreguidelines-special-member-functions): assigned by value
 public:
  SharedText() = default;
  // Not explicit: it is the same text.
  SharedText(std::string text)  // NOLINT(google-explicit-constructor)
      : block_(text.empty() ? nullptr : new Block{.text = std::move(text)}) {}
  SharedText(const char* text)  // NOLINT(google-explicit-constructor)
      : SharedText(std::string(text)) {}
  SharedText(const SharedText& other) noexcept : block_(other.block_) {
    if (block_ != nullptr) block_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  SharedText(SharedText&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  SharedText& operator=(SharedText other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~SharedText() {
    // Whoever is last must see what the others did before they left.
    if (block_ != nullptr && block_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete block_;
    }
  }

  [[nodiscard]] const std::string& text() const {
    static const std::string kNone;
    return block_ == nullptr ? kNone : block_->text;
  }
  [[nodiscard]] bool empty() const { return block_ == nullptr; }
  [[nodiscard]] bool IsSameCopy(const SharedText& other) const { return block_ == other.block_; }

  friend bool operator==(const SharedText& a, const SharedText& b) {
    return a.IsSameCopy(b) || a.text() == b.text();
  }
  friend std::strong_ordering operator<=>(const SharedText& a, const SharedText& b) {
    return a.IsSameCopy(b) ? std::strong_ordering::equal : a.text() <=> b.text();
  }

 private:
  struct Block {
    std::atomic<std::uint32_t> owners = 1;
    const std::string text;
  };

  Block* block_ = nullptr;  // null: empty
};

}  // namespace gs
