#include "adapters/localcluster/tables/age.h"

#include <gtest/gtest.h>

namespace gs::localcluster {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Age, HasTwoUnitsAtMost) {
  EXPECT_EQ(PrintAge(seconds(0)), "0s");
  EXPECT_EQ(PrintAge(seconds(119)), "119s");
  EXPECT_EQ(PrintAge(seconds(120)), "2m");
  EXPECT_EQ(PrintAge(seconds(599)), "9m59s");
  EXPECT_EQ(PrintAge(minutes(10) + seconds(5)), "10m");
  EXPECT_EQ(PrintAge(minutes(179)), "179m");
  EXPECT_EQ(PrintAge(hours(3)), "3h");
  EXPECT_EQ(PrintAge(hours(7) + minutes(59)), "7h59m");
  EXPECT_EQ(PrintAge(hours(8) + minutes(30)), "8h");
  EXPECT_EQ(PrintAge(hours(47)), "47h");
  EXPECT_EQ(PrintAge(hours(48)), "2d");
  EXPECT_EQ(PrintAge(hours(7 * 24 + 1)), "7d1h");
  EXPECT_EQ(PrintAge(hours(8 * 24 + 1)), "8d");
  EXPECT_EQ(PrintAge(hours(729 * 24)), "729d");
  EXPECT_EQ(PrintAge(hours(730 * 24)), "2y");
  EXPECT_EQ(PrintAge(hours(740 * 24)), "2y10d");
  EXPECT_EQ(PrintAge(hours(8 * 365 * 24 + 48)), "8y");
}

TEST(Age, TheFutureIsInvalidButClocksMayDiffer) {
  EXPECT_EQ(PrintAge(-seconds(1)), "0s");
  EXPECT_EQ(PrintAge(-seconds(2)), "<invalid>");
}

TEST(Age, ReadsTimesOfObjects) {
  const TimePoint now = ParseTime("2024-05-01T12:00:00Z").value();
  EXPECT_EQ(AgeSince("2024-05-01T11:59:00Z", now), "60s");
  EXPECT_EQ(AgeSince("", now), "<unknown>");
  EXPECT_EQ(AgeSince("yesterday", now), "<invalid>");
}

}  // namespace
}  // namespace gs::localcluster
