// SharedText: a text that never changes, so that its copies are one. As large as a pointer.
#pragma once

#include <atomic>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace gs {

class SharedText {  // NOLINT(cppcoreguidelines-special-member-functions): assigned by value
 public:
  SharedText() = default;
  // Not explicit: it is the same text.
  SharedText(std::string_view text)  // NOLINT(google-explicit-constructor)
      : block_(text.empty() ? nullptr : Make(text)) {}
  SharedText(const std::string& text)  // NOLINT(google-explicit-constructor)
      : SharedText(std::string_view(text)) {}
  SharedText(const char* text)  // NOLINT(google-explicit-constructor)
      : SharedText(std::string_view(text)) {}
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
      Destroy(block_);
    }
  }

  // As long as there is a copy of it.
  [[nodiscard]] std::string_view view() const { return ViewOf(block_); }
  [[nodiscard]] std::string text() const { return std::string(view()); }
  [[nodiscard]] bool empty() const { return block_ == nullptr; }
  [[nodiscard]] bool IsSameCopy(const SharedText& other) const { return block_ == other.block_; }

  // For whoever keeps it as a number, which is even, and 0 where the text is empty. It must be
  // given back, once.
  [[nodiscard]] std::uintptr_t Detach() noexcept {
    return std::bit_cast<std::uintptr_t>(std::exchange(block_, nullptr));
  }
  [[nodiscard]] static SharedText Attach(std::uintptr_t detached) noexcept {
    SharedText text;
    text.block_ = std::bit_cast<Block*>(detached);
    return text;
  }
  [[nodiscard]] static std::string_view ViewOf(std::uintptr_t detached) {
    return ViewOf(std::bit_cast<const Block*>(detached));
  }

  friend bool operator==(const SharedText& a, const SharedText& b) {
    return a.IsSameCopy(b) || a.view() == b.view();
  }
  friend std::strong_ordering operator<=>(const SharedText& a, const SharedText& b) {
    return a.IsSameCopy(b) ? std::strong_ordering::equal : a.view() <=> b.view();
  }

 private:
  // The bytes follow it, so that a text is one piece of memory.
  struct Block {
    std::atomic<std::uint32_t> owners = 1;
    std::uint32_t size = 0;
  };

  static Block* Make(std::string_view text) {
    void* const memory = ::operator new(sizeof(Block) + text.size());
    const auto size = static_cast<std::uint32_t>(text.size());
    auto* const block = new (memory) Block{.size = size};  // NOLINT: what is new is `memory`
    std::memcpy(static_cast<void*>(block + 1), text.data(), text.size());
    return block;
  }
  static void Destroy(Block* block) {
    block->~Block();
    ::operator delete(block);
  }
  static std::string_view ViewOf(const Block* block) {
    if (block == nullptr) return {};
    return {static_cast<const char*>(static_cast<const void*>(block + 1)), block->size};
  }

  Block* block_ = nullptr;  // null: empty
};

}  // namespace gs
