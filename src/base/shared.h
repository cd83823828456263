// Shared: a value that may be missing and never changes, so that its copies are one. As large as a
// pointer.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace gs {

template <class Value>
class Shared {  // NOLINT(cppcoreguidelines-special-member-functions): assigned by value
 public:
  Shared() = default;
  Shared(Value value)  // NOLINT(google-explicit-constructor): it is that value
      : block_(new Block{.value = std::move(value)}) {}
  Shared(const Shared& other) noexcept : block_(other.block_) {
    if (block_ != nullptr) block_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Shared(Shared&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Shared() {
    // Whoever is last must see what the others did before they left.
    if (block_ != nullptr && block_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete block_;
    }
  }

  explicit operator bool() const { return block_ != nullptr; }
  // Null: there is none.
  [[nodiscard]] const Value* get() const { return block_ == nullptr ? nullptr : &block_->value; }
  // Requires: there is one.
  [[nodiscard]] const Value& operator*() const { return block_->value; }
  [[nodiscard]] const Value* operator->() const { return &block_->value; }
  [[nodiscard]] bool IsSameCopy(const Shared& other) const { return block_ == other.block_; }
  void reset() { *this = {}; }

  friend bool operator==(const Shared& a, const Shared& b) {
    if (a.IsSameCopy(b)) return true;
    return a && b && *a == *b;
  }

 private:
  struct Block {
    std::atomic<std::uint32_t> owners = 1;
    const Value value;
  };

  Block* block_ = nullptr;  // null: none
};

}  // namespace gs
