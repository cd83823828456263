#include "base/time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <string>

namespace gs {
namespace {

using namespace std::chrono_literals;

TimePoint At(std::int64_t nanos) { return TimePoint(Duration(nanos)); }
std::string ErrorOf(std::string_view text) {
  const auto time = ParseTime(text);
  return time ? "no error" : ToString(time.error());
}
std::string DurationErrorOf(std::string_view text) {
  const auto duration = ParseDuration(text);
  return duration ? "no error" : ToString(duration.error());
}

TEST(Time, ReadsWhatKubernetesWrites) {
  EXPECT_EQ(*ParseTime("1970-01-01T00:00:00Z"), At(0));
  EXPECT_EQ(*ParseTime("2001-09-09T01:46:40Z"), TimePoint(1'000'000'000s));
  EXPECT_EQ(*ParseTime("2001-09-09T01:46:40.000123Z"), TimePoint(1'000'000'000s + 123us));
  EXPECT_EQ(*ParseTime("2001-09-09T01:46:40.5Z"), TimePoint(1'000'000'000s + 500ms));
  EXPECT_EQ(*ParseTime("1969-12-31T23:59:59.999999999Z"), At(-1));
}

TEST(Time, AppliesTheOffset) {
  EXPECT_EQ(*ParseTime("2024-05-01T01:30:00+02:00"), *ParseTime("2024-04-30T23:30:00Z"));
  EXPECT_EQ(*ParseTime("2024-12-31T20:00:00-05:30"), *ParseTime("2025-01-01T01:30:00Z"));
}

TEST(Time, KnowsTheCalendar) {
  EXPECT_TRUE(ParseTime("2024-02-29T00:00:00Z").ok());
  EXPECT_EQ(ErrorOf("2023-02-29T00:00:00Z"),
            "line 1, column 9: expected a day that this month has, found '2'; "
            "write a time as 2024-05-01T12:00:00Z");
  EXPECT_FALSE(ParseTime("2024-13-01T00:00:00Z").ok());
  EXPECT_FALSE(ParseTime("2024-00-01T00:00:00Z").ok());
}

TEST(Time, NamesTheColumnOfTheMistake) {
  EXPECT_EQ(ErrorOf("2024-05-01 12:00:00Z"),
            "line 1, column 11: expected 'T', found ' '; write a time as 2024-05-01T12:00:00Z");
  EXPECT_EQ(ErrorOf("2024-05-01T24:00:00Z"),
            "line 1, column 12: expected an hour from 00 to 23, found '2'; "
            "write a time as 2024-05-01T12:00:00Z");
  EXPECT_EQ(ErrorOf("2024-05-01T12:00:00"),
            "line 1, column 20: expected 'Z' or an offset such as +02:00, found the end of the "
            "text; write a time as 2024-05-01T12:00:00Z");
}

TEST(Time, RefusesWhatIsNotThatForm) {
  for (const auto* text :
       {"", "now", "24-05-01T12:00:00Z", "2024-5-01T12:00:00Z", "2024-05-01T12:00:60Z",
        "2024-05-01T12:00:00.Z", "2024-05-01T12:00:00.1234567890Z", "2024-05-01T12:00:00Zx",
        "2024-05-01T12:00:00+2:00", "2024-05-01T12:00:00+24:00", "2024-05-01t12:00:00z"}) {
    EXPECT_FALSE(ParseTime(text).ok()) << text;
  }
}

TEST(Time, RefusesYearsBeyondSixtyFourBits) {
  EXPECT_FALSE(ParseTime("0001-01-01T00:00:00Z").ok());
  EXPECT_FALSE(ParseTime("9999-12-31T23:59:59Z").ok());
  EXPECT_TRUE(ParseTime("1678-01-01T00:00:00Z").ok());
  EXPECT_TRUE(ParseTime("2261-12-31T23:59:59.999999999Z").ok());
}

TEST(Time, PrintsInUtcWithTheAskedDetail) {
  const TimePoint time(1'000'000'000s + 1'234'567ns);
  EXPECT_EQ(PrintTime(time), "2001-09-09T01:46:40Z");
  EXPECT_EQ(PrintTime(time, TimeDetail::kMicros), "2001-09-09T01:46:40.001234Z");
  EXPECT_EQ(PrintTime(time, TimeDetail::kNanos), "2001-09-09T01:46:40.001234567Z");
  EXPECT_EQ(PrintTime(At(-1)), "1969-12-31T23:59:59Z");
  EXPECT_EQ(PrintTime(TimePoint::max()), "2262-04-11T23:47:16Z");
}

RC_GTEST_PROP(Time, ReadsBackWhatItPrints, ()) {
  constexpr std::int64_t kLimit = std::int64_t{9'000'000'000} * 1'000'000'000;
  const auto time = At(*rc::gen::inRange(-kLimit, kLimit));
  RC_ASSERT(*ParseTime(PrintTime(time, TimeDetail::kNanos)) == time);
  RC_ASSERT(*ParseTime(PrintTime(time)) == std::chrono::floor<std::chrono::seconds>(time));
}

TEST(Duration, ReadsGoForms) {
  EXPECT_EQ(*ParseDuration("5m"), 5min);
  EXPECT_EQ(*ParseDuration("1h30m"), 90min);
  EXPECT_EQ(*ParseDuration("1h30m0s"), 90min);
  EXPECT_EQ(*ParseDuration("250ms"), 250ms);
  EXPECT_EQ(*ParseDuration("1.5h"), 90min);
  EXPECT_EQ(*ParseDuration(".5s"), 500ms);
  EXPECT_EQ(*ParseDuration("-1.5s"), -1500ms);
  EXPECT_EQ(*ParseDuration("3us2ns"), 3002ns);
  EXPECT_EQ(*ParseDuration("3\xC2\xB5s"), 3us);
  EXPECT_EQ(*ParseDuration("3\xCE\xBCs"), 3us);
  EXPECT_EQ(*ParseDuration("0"), 0s);
  EXPECT_EQ(*ParseDuration("0.9ns"), 0s);
}

TEST(Duration, RefusesWhatGoRefuses) {
  for (const auto* text :
       {"", "-", "5", "5 m", "m", "5x", "1h30", "5m ", ".s", "1d", "--1s", "5M"}) {
    EXPECT_FALSE(ParseDuration(text).ok()) << text;
  }
  EXPECT_EQ(DurationErrorOf("10"),
            "line 1, column 3: expected a unit (h, m, s, ms, us or ns), found the end of the text; "
            "write a duration as 1h30m, 5s or 250ms");
}

TEST(Duration, StopsAtTheLimitsOfSixtyFourBits) {
  EXPECT_EQ(*ParseDuration("9223372036854775807ns"), Duration::max());
  EXPECT_EQ(*ParseDuration("-9223372036854775808ns"), Duration::min());
  EXPECT_FALSE(ParseDuration("9223372036854775808ns").ok());
  EXPECT_FALSE(ParseDuration("9223372036s1s").ok());
  EXPECT_FALSE(ParseDuration("99999999999999999999999h").ok());
  EXPECT_FALSE(ParseDuration("2562048h").ok());
}

TEST(Duration, PrintsTheShortestForm) {
  EXPECT_EQ(PrintDuration(0s), "0s");
  EXPECT_EQ(PrintDuration(5min), "5m");
  EXPECT_EQ(PrintDuration(90min), "1h30m");
  EXPECT_EQ(PrintDuration(1h + 5s), "1h5s");
  EXPECT_EQ(PrintDuration(1500ms), "1.5s");
  EXPECT_EQ(PrintDuration(250ms), "250ms");
  EXPECT_EQ(PrintDuration(1050us), "1.05ms");
  EXPECT_EQ(PrintDuration(999ns), "999ns");
  EXPECT_EQ(PrintDuration(-90s), "-1m30s");
  EXPECT_EQ(PrintDuration(Duration::min()), "-2562047h47m16.854775808s");
}

RC_GTEST_PROP(Duration, ReadsBackWhatItPrints, (std::int64_t nanos)) {
  RC_ASSERT(*ParseDuration(PrintDuration(Duration(nanos))) == Duration(nanos));
}

}  // namespace
}  // namespace gs
