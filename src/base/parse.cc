#include "base/parse.h"

#include <charconv>
#include <string>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace gs {
namespace {

constexpr std::string_view kInteger = "an integer";

// Long enough for every legal number, short enough for a message.
std::string Shortened(std::string_view digits) {
  constexpr std::size_t kShown = 24;
  if (digits.size() <= kShown) return std::string(digits);
  return std::string(digits.substr(0, kShown)) + "...";
}

Error OutOfRange(std::string_view number, std::string_view what, IntegerRange range) {
  return Error(ErrorKind::kInvalid, Shortened(number) + " is out of range for " + std::string(what))
      .Advise("write a number from " + std::to_string(range.min) + " to " +
              std::to_string(range.max));
}

// Requires: at least one digit.
Result<std::int64_t> InRange(const std::string& number, std::string_view what, IntegerRange range) {
  std::int64_t value = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
  if (read.ec != std::errc() || value < range.min || value > range.max) {
    return OutOfRange(number, what, range);
  }
  return value;
}

}  // namespace

Result<std::int64_t> TakeInteger(TextCursor& cursor, std::string_view what, IntegerRange range) {
  const TextPlace place = cursor.place();
  std::string number = cursor.Take('-') ? "-" : "";
  const std::string_view digits = cursor.TakeWhile(text::IsDigit);
  if (digits.empty()) return cursor.Expected(what);
  number += digits;
  auto value = InRange(number, what, range);
  if (!value) return std::move(value).error().At(place);
  return value;
}

Result<std::int64_t> ParseInt64(std::string_view text, IntegerRange range) {
  TextCursor cursor(text);
  auto value = TakeInteger(cursor, kInteger, range);
  if (value && !cursor.at_end()) return cursor.Expected("a digit or the end");
  return value;
}

Result<std::int32_t> ParseInt32(std::string_view text, IntegerRange range) {
  GS_CHECK(range.min >= kInt32Range.min && range.max <= kInt32Range.max);
  auto value = ParseInt64(text, range);
  if (!value) return std::move(value).error();
  return static_cast<std::int32_t>(*value);
}

}  // namespace gs
