// Whatever is accepted as a quantity prints to a form that reads back as the same value and prints
// the same again, and its roundings agree with each other.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto quantity = gs::Quantity::Parse(text);
  if (!quantity) {
    GS_CHECK(quantity.error().place().has_value());
    return 0;
  }
  const std::string canonical = ToString(*quantity);
  const auto again = gs::Quantity::Parse(canonical);
  GS_CHECK(again.ok() && *again == *quantity);
  GS_CHECK(ToString(*again) == canonical);

  // Rounded away from zero: never closer to it than the value, never a whole step farther.
  const auto rounded = gs::Quantity::OfUnits(quantity->Value());
  const bool is_negative = *quantity < gs::Quantity();
  GS_CHECK(is_negative ? rounded <= *quantity : rounded >= *quantity);
  const auto back = is_negative ? quantity->Minus(rounded) : rounded.Minus(*quantity);
  GS_CHECK(back.ok() && *back < gs::Quantity::OfUnits(1) && *back >= gs::Quantity());
  return 0;
}
