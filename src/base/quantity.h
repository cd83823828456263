// Quantity: an amount of a resource as Kubernetes writes it ("500m", "1.5Gi", "12e6"), held exactly
// in billionths. The one place where such text becomes a number. No floating point anywhere: 0.57
// is 570m and nothing else.
//
// Two roundings are Kubernetes' own and happen on purpose. What is finer than a billionth is
// rounded away from zero when read, so that a little never becomes nothing. What lies beyond 2^63-1
// units is capped there, because an API server accepts such values and one odd object must not stop
// us from reading the others.
#pragma once

#include <compare>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gs {

class Quantity {
 public:
  // How it is printed; no part of the value.
  enum class Format : std::uint8_t { kDecimal, kBinary };

  Quantity() = default;
  [[nodiscard]] static Quantity OfUnits(std::int64_t units, Format format = Format::kDecimal);
  [[nodiscard]] static Quantity OfMilli(std::int64_t milli);

  // Sign, digits with an optional point, then one suffix: n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or
  // e/E with a decimal exponent. "1E" is exa, "1E3" is a thousand. Errors name the column and what
  // was expected there.
  [[nodiscard]] static Result<Quantity> Parse(std::string_view text);

  // Whole units and thousandths, rounded away from zero. MilliValue stops at the limits of 64 bits.
  [[nodiscard]] std::int64_t Value() const;
  [[nodiscard]] std::int64_t MilliValue() const;

  // Exact, in this quantity's format; an error where the result would lie beyond the cap.
  [[nodiscard]] Result<Quantity> Plus(const Quantity& other) const;
  [[nodiscard]] Result<Quantity> Minus(const Quantity& other) const;

  // By value: "1Ki" equals "1024".
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.nanos_ == b.nanos_; }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    if (a.nanos_ == b.nanos_) return std::strong_ordering::equal;
    return a.nanos_ < b.nanos_ ? std::strong_ordering::less : std::strong_ordering::greater;
  }

  friend std::string ToString(const Quantity& quantity);

 private:
  __extension__ typedef __int128 Int128;

  Quantity(Int128 nanos, Format format) : nanos_(nanos), format_(format) {}
  [[nodiscard]] static Result<Quantity> Checked(Int128 nanos, Format format);

  Int128 nanos_ = 0;
  Format format_ = Format::kDecimal;
};

// The canonical form: no fraction, the largest suffix that keeps the number whole. Binary suffixes
// only for whole amounts of at least 1024 whose format is binary.
[[nodiscard]] std::string ToString(const Quantity& quantity);
std::ostream& operator<<(std::ostream& out, const Quantity& quantity);

}  // namespace gs
