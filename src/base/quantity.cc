#include "base/quantity.h"

#include <algorithm>
#include <limits>
#include <ostream>
#include <utility>

#include "base/quantity_text.h"

namespace gs {
namespace {

using quantity_text::Int128;
using quantity_text::kMaxNanos;
using quantity_text::kNanosPerUnit;

constexpr Int128 kNanosPerMilli = 1'000'000;

std::int64_t DivideAwayFromZero(Int128 nanos, Int128 divisor) {
  Int128 quotient = nanos / divisor;
  const Int128 rest = nanos % divisor;
  if (rest != 0) quotient += rest > 0 ? 1 : -1;
  constexpr Int128 kMin = std::numeric_limits<std::int64_t>::min();
  constexpr Int128 kMax = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(quotient, kMin, kMax));
}

}  // namespace

Quantity Quantity::OfUnits(std::int64_t units, Format format) {
  return {std::max(units * kNanosPerUnit, -kMaxNanos), format};
}

Quantity Quantity::OfMilli(std::int64_t milli) {
  return {milli * kNanosPerMilli, Format::kDecimal};
}

Result<Quantity> Quantity::Parse(std::string_view text) {
  auto amount = quantity_text::Parse(text);
  if (!amount) return std::move(amount).error();
  return Quantity(amount->nanos, amount->is_binary ? Format::kBinary : Format::kDecimal);
}

std::int64_t Quantity::Value() const { return DivideAwayFromZero(nanos_, kNanosPerUnit); }

std::int64_t Quantity::MilliValue() const { return DivideAwayFromZero(nanos_, kNanosPerMilli); }

Result<Quantity> Quantity::Plus(const Quantity& other) const {
  return Checked(nanos_ + other.nanos_, format_);
}

Result<Quantity> Quantity::Minus(const Quantity& other) const {
  return Checked(nanos_ - other.nanos_, format_);
}

Result<Quantity> Quantity::Checked(Int128 nanos, Format format) {
  if (nanos > kMaxNanos || nanos < -kMaxNanos) {
    return Error(ErrorKind::kInvalid, "the quantities add up to more than can be counted");
  }
  return Quantity(nanos, format);
}

std::string ToString(const Quantity& quantity) {
  return quantity_text::Print({quantity.nanos_, quantity.format_ == Quantity::Format::kBinary});
}

std::ostream& operator<<(std::ostream& out, const Quantity& quantity) {
  return out << ToString(quantity);
}

}  // namespace gs
