// The Go form of durations; declared in base/time.h.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/text_cursor.h"
#include "base/time.h"

namespace gs {
namespace {

constexpr std::string_view kAdvice = "write a duration as 1h30m, 5s or 250ms";

constexpr std::uint64_t kNano = 1;
constexpr std::uint64_t kMicro = 1'000;
constexpr std::uint64_t kMilli = 1'000'000;
constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMinute = 60 * kSecond;
constexpr std::uint64_t kHour = 60 * kMinute;

// Go writes microseconds with either of two characters that look like a mu.
constexpr std::array kUnits{
    std::pair{kNano, std::string_view("ns")},
    std::pair{kMicro, std::string_view("us")},
    std::pair{kMicro, std::string_view("\xC2\xB5s")},
    std::pair{kMicro, std::string_view("\xCE\xBCs")},
    std::pair{kMilli, std::string_view("ms")},
    std::pair{kSecond, std::string_view("s")},
    std::pair{kMinute, std::string_view("m")},
    std::pair{kHour, std::string_view("h")},
};

// One more than the largest magnitude of a Duration: that of the smallest, which has no positive
// counterpart.
constexpr std::uint64_t kMaxMagnitude = std::uint64_t{1} << 63U;

Error TooLong() {
  return Error(ErrorKind::kInvalid, "the duration is too long")
      .At({1, 1})
      .Advise("about 292 years can be counted in nanoseconds");
}

// a * b + c, or nothing if that is beyond kMaxMagnitude.
std::optional<std::uint64_t> MultiplyAdd(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out) || __builtin_add_overflow(out, c, &out))
    return std::nullopt;
  if (out > kMaxMagnitude) return std::nullopt;
  return out;
}

std::optional<std::uint64_t> WholeOf(std::string_view digits) {
  std::optional<std::uint64_t> number = 0;
  for (const char digit : digits) {
    number = MultiplyAdd(*number, 10, static_cast<std::uint64_t>(digit - '0'));
    if (!number) return std::nullopt;
  }
  return number;
}

// 0.<digits> of a unit, cut off; from the last digit to the first, so that nothing can overflow.
std::uint64_t FractionOf(std::string_view digits, std::uint64_t unit) {
  std::uint64_t nanos = 0;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    nanos = (static_cast<std::uint64_t>(*digit - '0') * unit + nanos) / 10;
  }
  return nanos;
}

Result<std::uint64_t> TakeUnit(TextCursor& cursor) {
  const TextCursor before = cursor;
  const auto name = cursor.TakeWhile(
      [](char next) { return next != '.' && next != '-' && !text::IsDigit(next); });
  for (const auto& [nanos, known] : kUnits) {
    if (name == known) return static_cast<std::uint64_t>(nanos);
  }
  return before.Expected("a unit (h, m, s, ms, us or ns)").Advise(std::string(kAdvice));
}

// One number with its unit, in nanoseconds.
Result<std::uint64_t> TakePart(TextCursor& cursor) {
  const auto whole = cursor.TakeWhile(text::IsDigit);
  const auto fraction = cursor.Take('.') ? cursor.TakeWhile(text::IsDigit) : std::string_view();
  if (whole.empty() && fraction.empty()) {
    return cursor.Expected("a digit").Advise(std::string(kAdvice));
  }
  const auto unit = TakeUnit(cursor);
  if (!unit) return unit.error();
  const auto number = WholeOf(whole);
  if (!number) return TooLong();
  const auto nanos = MultiplyAdd(*number, *unit, FractionOf(fraction, *unit));
  if (!nanos) return TooLong();
  return *nanos;
}

Result<Duration> Signed(std::uint64_t magnitude, bool is_negative) {
  if (!is_negative && magnitude == kMaxMagnitude) return TooLong();
  const std::uint64_t bits = is_negative ? std::uint64_t{0} - magnitude : magnitude;
  return Duration(static_cast<std::int64_t>(bits));
}

// "1.5" from 1500 of 1000: no zeros at the end, no point without digits behind it.
std::string WithFraction(std::uint64_t nanos, std::int64_t unit) {
  const auto base = static_cast<std::uint64_t>(unit);
  std::string out = std::to_string(nanos / base);
  const std::uint64_t rest = nanos % base;
  if (rest == 0) return out;
  // The leading 1 of base + rest holds the place of the zeros in front.
  std::string digits = std::to_string(base + rest).substr(1);
  digits.erase(digits.find_last_not_of('0') + 1);
  return out + "." + digits;
}

std::string BelowSecond(std::uint64_t nanos) {
  if (nanos >= kMilli) return WithFraction(nanos, kMilli) + "ms";
  if (nanos >= kMicro) return WithFraction(nanos, kMicro) + "us";
  return std::to_string(nanos) + "ns";
}

}  // namespace

Result<Duration> ParseDuration(std::string_view text) {
  TextCursor cursor(text);
  const bool is_negative = cursor.Take('-');
  const TextCursor number = cursor;
  if (cursor.Take('0') && cursor.at_end()) return Duration(0);
  cursor = number;
  std::uint64_t total = 0;
  do {
    const auto part = TakePart(cursor);
    if (!part) return part.error();
    const auto sum = MultiplyAdd(total, 1, *part);
    if (!sum) return TooLong();
    total = *sum;
  } while (!cursor.at_end());
  return Signed(total, is_negative);
}

std::string PrintDuration(Duration duration) {
  const std::int64_t count = duration.count();
  const auto bits = static_cast<std::uint64_t>(count);
  std::uint64_t nanos = count < 0 ? std::uint64_t{0} - bits : bits;
  std::string out = count < 0 ? "-" : "";
  if (nanos == 0) return "0s";
  if (nanos < kSecond) return out + BelowSecond(nanos);
  if (nanos >= kHour) out += std::to_string(nanos / kHour) + "h";
  nanos %= kHour;
  if (nanos >= kMinute) out += std::to_string(nanos / kMinute) + "m";
  nanos %= kMinute;
  if (nanos > 0) out += WithFraction(nanos, kSecond) + "s";
  return out;
}

}  // namespace gs
