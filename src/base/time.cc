#include "base/time.h"

#include <optional>
#include <utility>

#include "base/text.h"
#include "base/text_cursor.h"

namespace gs {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::string_view kTimeAdvice = "write a time as 2024-05-01T12:00:00Z";
constexpr std::size_t kNanoDigits = 9;

// Calendar fields in order, each with how many digits it has and what it may be.
struct Field {
  std::size_t digits;
  int min;
  int max;
  std::string_view what;
};

constexpr Field kYear{4, 0, 9999, "a year of four digits"};
constexpr Field kMonth{2, 1, 12, "a month from 01 to 12"};
constexpr Field kDay{2, 1, 31, "a day from 01 to 31"};
constexpr Field kHour{2, 0, 23, "an hour from 00 to 23"};
constexpr Field kMinute{2, 0, 59, "a minute from 00 to 59"};
constexpr Field kSecond{2, 0, 59, "a second from 00 to 59"};

int NumberOf(std::string_view digits) {
  int number = 0;
  for (const char digit : digits) number = number * 10 + (digit - '0');
  return number;
}

// Reads an RFC 3339 time step by step. After the first mistake it reads nothing more and keeps that
// error.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : cursor_(text) {}

  Result<TimePoint> Read() {
    const std::chrono::year_month_day date = ReadDate();
    Require('T');
    const seconds clock = ReadClock();
    const Duration fraction = cursor_.Take('.') ? ReadFraction() : Duration(0);
    const minutes offset = ReadOffset();
    if (!error_ && !cursor_.at_end()) Fail(cursor_.Expected("the end of the time"));
    if (error_) return std::move(*error_);
    return Assemble(std::chrono::sys_days(date), clock - offset, fraction);
  }

 private:
  std::chrono::year_month_day ReadDate() {
    const std::chrono::year year(ReadField(kYear));
    Require('-');
    const auto month = static_cast<unsigned>(ReadField(kMonth));
    Require('-');
    const TextCursor before = cursor_;
    const auto day = static_cast<unsigned>(ReadField(kDay));
    const std::chrono::year_month_day date(year, std::chrono::month(month), std::chrono::day(day));
    if (!error_ && !date.ok()) Fail(before.Expected("a day that this month has"));
    return date;
  }

  seconds ReadClock() {
    const hours hour(ReadField(kHour));
    Require(':');
    const minutes minute(ReadField(kMinute));
    Require(':');
    return hour + minute + seconds(ReadField(kSecond));
  }

  Duration ReadFraction() {
    const TextCursor before = cursor_;
    std::string digits(cursor_.TakeWhile(text::IsDigit));
    if (digits.empty() || digits.size() > kNanoDigits) {
      Fail(before.Expected("one to nine digits of a second"));
      return Duration(0);
    }
    digits.resize(kNanoDigits, '0');
    return Duration(NumberOf(digits));
  }

  minutes ReadOffset() {
    if (cursor_.Take('Z')) return minutes(0);
    const bool is_west = cursor_.Take('-');
    if (!is_west && !cursor_.Take('+')) {
      Fail(cursor_.Expected("'Z' or an offset such as +02:00"));
      return minutes(0);
    }
    const hours hour(ReadField(kHour));
    Require(':');
    const minutes offset = hour + minutes(ReadField(kMinute));
    return is_west ? -offset : offset;
  }

  int ReadField(const Field& field) {
    if (error_) return field.min;
    const TextCursor before = cursor_;
    std::size_t taken = 0;
    const auto digits =
        cursor_.TakeWhile([&](char next) { return text::IsDigit(next) && taken++ < field.digits; });
    const int number = NumberOf(digits);
    if (digits.size() == field.digits && number >= field.min && number <= field.max) return number;
    Fail(before.Expected(field.what));
    return field.min;
  }

  void Require(char wanted) {
    if (!error_ && !cursor_.Take(wanted))
      Fail(cursor_.Expected("'" + std::string(1, wanted) + "'"));
  }

  void Fail(Error error) {
    if (!error_) error_ = std::move(error).Advise(std::string(kTimeAdvice));
  }

  static Result<TimePoint> Assemble(std::chrono::sys_days date, seconds clock, Duration fraction) {
    const std::chrono::sys_seconds time = date + clock;
    // One second of room on either side spares the arithmetic below from overflow.
    constexpr auto kFirst = std::chrono::ceil<seconds>(Duration::min()) + seconds(1);
    constexpr auto kLast = std::chrono::floor<seconds>(Duration::max()) - seconds(1);
    if (time.time_since_epoch() < kFirst || time.time_since_epoch() > kLast) {
      return Error(ErrorKind::kInvalid, "the time is out of range")
          .At({1, 1})
          .Advise("years from 1678 to 2261 can be counted in nanoseconds");
    }
    return TimePoint(time) + fraction;
  }

  TextCursor cursor_;
  std::optional<Error> error_;
};

std::string Padded(std::int64_t number, std::size_t width) {
  const std::string digits = std::to_string(number);
  return std::string(digits.size() < width ? width - digits.size() : 0, '0') + digits;
}

std::size_t DigitsOf(TimeDetail detail) {
  switch (detail) {
    case TimeDetail::kSeconds: return 0;
    case TimeDetail::kMicros: return 6;
    case TimeDetail::kNanos: return kNanoDigits;
  }
  return 0;
}

}  // namespace

Result<TimePoint> ParseTime(std::string_view text) { return TimeReader(text).Read(); }

std::string PrintTime(TimePoint time, TimeDetail detail) {
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss<Duration> clock(time - day);
  std::string out = Padded(static_cast<int>(date.year()), 4) + "-" +
                    Padded(static_cast<unsigned>(date.month()), 2) + "-" +
                    Padded(static_cast<unsigned>(date.day()), 2) + "T" +
                    Padded(clock.hours().count(), 2) + ":" + Padded(clock.minutes().count(), 2) +
                    ":" + Padded(clock.seconds().count(), 2);
  const std::string fraction = Padded(clock.subseconds().count(), kNanoDigits);
  if (const std::size_t digits = DigitsOf(detail); digits > 0) {
    out += "." + fraction.substr(0, digits);
  }
  return out + "Z";
}

}  // namespace gs
