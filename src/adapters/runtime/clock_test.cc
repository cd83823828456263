#include "adapters/runtime/clock.h"

#include <gtest/gtest.h>

namespace gs::runtime {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(SystemClock, NeverRunsBackwardsAndCountsSleepToo) {
  const SystemClock clock;
  const Duration before = clock.Monotonic();
  const Duration since_boot = clock.SinceBoot();
  EXPECT_GE(clock.Monotonic(), before);
  EXPECT_GE(since_boot, before);
  EXPECT_GT(clock.WallTime(), *ParseTime("2024-01-01T00:00:00Z"));
}

TEST(ManualClock, MovesOnlyWhenTold) {
  ManualClock clock(*ParseTime("2024-05-01T12:00:00Z"));
  EXPECT_EQ(clock.Monotonic(), Duration(0));
  clock.Advance(seconds(30));
  EXPECT_EQ(PrintTime(clock.WallTime()), "2024-05-01T12:00:30Z");
  EXPECT_EQ(clock.Monotonic(), seconds(30));
  EXPECT_EQ(clock.SinceBoot(), seconds(30));
}

TEST(ManualClock, TellsSleepFromTimeThatRan) {
  ManualClock clock;
  clock.Suspend(hours(1));
  EXPECT_EQ(clock.Monotonic(), Duration(0));
  EXPECT_EQ(clock.SinceBoot(), hours(1));
  EXPECT_EQ(clock.WallTime(), TimePoint(hours(1)));
}

TEST(ManualClock, WallTimeCanBeSetBackAlone) {
  ManualClock clock(TimePoint(hours(5)));
  clock.Advance(seconds(1));
  clock.SetWallTime(TimePoint(hours(1)));
  EXPECT_EQ(clock.WallTime(), TimePoint(hours(1)));
  EXPECT_EQ(clock.Monotonic(), seconds(1));
}

}  // namespace
}  // namespace gs::runtime
