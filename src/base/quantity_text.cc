#include "base/quantity_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/parse.h"
#include "base/text.h"
#include "base/text_cursor.h"

namespace gs::quantity_text {
namespace {

constexpr std::string_view kSuffixes =
    "a suffix (n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent such as e3)";

constexpr std::array<std::string_view, 10> kDecimalSuffixes{"n", "u", "m", "",  "k",
                                                            "M", "G", "T", "P", "E"};
constexpr std::array<std::string_view, 7> kBinarySuffixes{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

// What the digits are multiplied by: 10^tens * 2^twos, where only one of the two is not 0.
struct Scale {
  std::int64_t tens = 0;
  unsigned twos = 0;
};

bool IsLetter(char letter) { return text::IsLower(letter) || text::IsUpper(letter); }

// Requires: the cursor stands behind the 'e'.
Result<Scale> TakeExponent(TextCursor& cursor) {
  const bool has_plus = cursor.Take('+');
  if (has_plus && cursor.peek() == '-') return cursor.Expected("a digit of the exponent");
  auto exponent = TakeInteger(cursor, "an exponent", kInt32Range);
  if (!exponent) return std::move(exponent).error();
  return Scale{*exponent, 0};
}

Result<Scale> TakeScale(TextCursor& cursor) {
  const TextCursor before = cursor;
  const std::string_view letters = cursor.TakeWhile(IsLetter);
  // Only what follows tells the exponent of 1E3 from the exa of 1E.
  if ((letters == "e" || letters == "E") && !cursor.at_end()) return TakeExponent(cursor);
  const auto* const decimal = std::find(kDecimalSuffixes.begin(), kDecimalSuffixes.end(), letters);
  if (decimal != kDecimalSuffixes.end()) {
    return Scale{3 * (decimal - kDecimalSuffixes.begin()) - 9, 0};
  }
  const auto* const binary = std::find(kBinarySuffixes.begin(), kBinarySuffixes.end(), letters);
  if (binary == kBinarySuffixes.end()) return before.Expected(kSuffixes);
  return Scale{0, static_cast<unsigned>(10 * (binary - kBinarySuffixes.begin()))};
}

// The digits as a number, with `zeros` more zeros behind; just above kMaxNanos if it is beyond
// that.
Int128 WholeNumber(std::string_view digits, std::int64_t zeros) {
  Int128 number = 0;
  for (const char digit : digits) {
    number = number * 10 + (digit - '0');
    if (number > kMaxNanos) return kMaxNanos + 1;
  }
  for (; zeros > 0 && number != 0; --zeros) {
    number *= 10;
    if (number > kMaxNanos) return kMaxNanos + 1;
  }
  return number;
}

// 0.<zeros><digits> * factor, rounded up. Works from the last digit to the first, so any number of
// digits is exact: what is carried stays below the factor, and what is dropped is remembered.
Int128 FractionTimes(std::string_view digits, std::int64_t zeros, Int128 factor) {
  Int128 carried = 0;
  bool has_rest = false;
  const auto shift = [&](Int128 sum) {
    has_rest = has_rest || sum % 10 != 0;
    carried = sum / 10;
  };
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    shift((*digit - '0') * factor + carried);
  }
  for (; zeros > 0 && carried != 0; --zeros) shift(carried);
  return carried + (has_rest ? 1 : 0);
}

// <digits> with the point before digit number `point` (which may lie outside), times factor,
// capped.
Int128 Multiply(std::string_view digits, std::int64_t point, Int128 factor) {
  const auto size = static_cast<std::int64_t>(digits.size());
  const auto split = static_cast<std::size_t>(std::clamp<std::int64_t>(point, 0, size));
  const Int128 whole = WholeNumber(digits.substr(0, split), point - size);
  if (whole > kMaxNanos / factor) return kMaxNanos;
  return std::min(whole * factor + FractionTimes(digits.substr(split), -point, factor), kMaxNanos);
}

// Takes the factors of `base` out of the number and prints it with the suffix that stands for them.
template <class Suffixes>
std::string PrintWithSuffix(Int128 magnitude, int base, const Suffixes& suffixes) {
  std::size_t step = 0;
  for (; step + 1 < suffixes.size() && magnitude % base == 0; ++step) magnitude /= base;
  std::string digits;
  for (; magnitude > 0; magnitude /= 10) digits += static_cast<char>('0' + magnitude % 10);
  std::reverse(digits.begin(), digits.end());
  return digits.append(suffixes[step]);
}

}  // namespace

Result<Amount> Parse(std::string_view text) {
  TextCursor cursor(text);
  const bool is_negative = cursor.Take('-');
  if (!is_negative) cursor.Take('+');
  std::string digits(cursor.TakeWhile(text::IsDigit));
  const auto point = static_cast<std::int64_t>(digits.size());
  if (cursor.Take('.')) digits += cursor.TakeWhile(text::IsDigit);
  if (digits.empty()) return cursor.Expected("a digit");
  auto scale = TakeScale(cursor);
  if (!scale) return std::move(scale).error();
  if (!cursor.at_end()) return cursor.Expected("the end of the quantity");
  const Int128 nanos = Multiply(digits, point + scale->tens + 9, Int128{1} << scale->twos);
  return Amount{is_negative ? -nanos : nanos, scale->twos != 0};
}

std::string Print(const Amount& amount) {
  if (amount.nanos == 0) return "0";
  const std::string sign = amount.nanos < 0 ? "-" : "";
  const Int128 magnitude = amount.nanos < 0 ? -amount.nanos : amount.nanos;
  const bool is_whole = magnitude % kNanosPerUnit == 0;
  if (amount.is_binary && is_whole && magnitude >= 1024 * kNanosPerUnit) {
    return sign + PrintWithSuffix(magnitude / kNanosPerUnit, 1024, kBinarySuffixes);
  }
  return sign + PrintWithSuffix(magnitude, 1000, kDecimalSuffixes);
}

}  // namespace gs::quantity_text
