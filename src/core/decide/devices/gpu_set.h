// GpuSet: a set of GPU positions of one node, as a 64-bit mask. Position i is the i-th GPU in id
// order.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace gs::devices {

inline constexpr std::size_t kMaxGpus = 64;

class GpuSet {
 public:
  constexpr GpuSet() = default;
  constexpr explicit GpuSet(std::uint64_t bits) : bits_(bits) {}
  // The positions 0 … count-1. Requires: count <= kMaxGpus.
  [[nodiscard]] static constexpr GpuSet FirstN(std::size_t count) {
    return GpuSet(count >= kMaxGpus ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1);
  }
  [[nodiscard]] static constexpr GpuSet Of(std::size_t position) {
    return GpuSet(std::uint64_t{1} << position);
  }

  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr std::size_t size() const {
    return static_cast<std::size_t>(std::popcount(bits_));
  }
  [[nodiscard]] constexpr bool Has(std::size_t position) const {
    return ((bits_ >> position) & 1U) != 0;
  }
  [[nodiscard]] constexpr bool Contains(GpuSet other) const { return (other.bits_ & ~bits_) == 0; }
  // Lowest and highest position. Requires: not empty.
  [[nodiscard]] constexpr std::size_t First() const {
    return static_cast<std::size_t>(std::countr_zero(bits_));
  }
  [[nodiscard]] constexpr std::size_t Last() const {
    return static_cast<std::size_t>(63 - std::countl_zero(bits_));
  }

  // The `count` lowest of its members. Requires: count <= size().
  [[nodiscard]] constexpr GpuSet Lowest(std::size_t count) const {
    std::uint64_t left = bits_;
    for (; count > 0; --count) left &= left - 1;
    return GpuSet(bits_ & ~left);
  }

  constexpr void Add(std::size_t position) { bits_ |= std::uint64_t{1} << position; }
  constexpr void Remove(std::size_t position) { bits_ &= ~(std::uint64_t{1} << position); }

  friend constexpr GpuSet operator&(GpuSet a, GpuSet b) { return GpuSet(a.bits_ & b.bits_); }
  friend constexpr GpuSet operator|(GpuSet a, GpuSet b) { return GpuSet(a.bits_ | b.bits_); }
  friend constexpr GpuSet operator-(GpuSet a, GpuSet b) { return GpuSet(a.bits_ & ~b.bits_); }
  friend constexpr auto operator<=>(const GpuSet&, const GpuSet&) = default;

  // Positions in ascending order, for range-for.
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::size_t*;
    using reference = std::size_t;

    constexpr explicit Iterator(std::uint64_t bits) : bits_(bits) {}
    constexpr std::size_t operator*() const {
      return static_cast<std::size_t>(std::countr_zero(bits_));
    }
    constexpr Iterator& operator++() {
      bits_ &= bits_ - 1;
      return *this;
    }
    friend constexpr bool operator==(const Iterator&, const Iterator&) = default;

   private:
    std::uint64_t bits_;
  };
  [[nodiscard]] constexpr Iterator begin() const { return Iterator(bits_); }
  [[nodiscard]] constexpr Iterator end() const { return Iterator(0); }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace gs::devices
