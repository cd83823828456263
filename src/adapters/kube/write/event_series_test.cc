#include "adapters/kube/write/event_series.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/dns_name.h"

namespace gs::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const TimePoint kStart = *ParseTime("2026-05-01T12:00:00Z");

model::RecordEvent Failed(std::string message, std::string pod = "a") {
  return {{Namespace("team"), PodName(pod), PodUid("uid-" + pod)},
          model::EventType::kWarning,
          "FailedScheduling",
          std::move(message)};
}

TEST(EventSeries, TheSameEventBecomesACount) {
  EventSeries series;
  const auto first = series.Add(Failed("no GPU"), kStart);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->count, 1);
  EXPECT_EQ(series.Add(Failed("no GPU"), kStart + minutes(9)), (EventWrite{first->name, 2}));
  // Ten minutes count from the last one, not from the first.
  EXPECT_EQ(series.Add(Failed("no GPU"), kStart + minutes(18)), (EventWrite{first->name, 3}));
}

TEST(EventSeries, AfterTenMinutesItIsNewAgain) {
  EventSeries series;
  const auto first = series.Add(Failed("no GPU"), kStart);
  const auto later = series.Add(Failed("no GPU"), kStart + minutes(10));
  ASSERT_TRUE(first && later);
  EXPECT_EQ(later->count, 1);
  EXPECT_NE(later->name, first->name);
}

TEST(EventSeries, WhateverDiffersIsAnotherEvent) {
  EventSeries series;
  std::vector<model::RecordEvent> events(5, Failed("no GPU"));
  events[1].message = "no node";
  events[2].reason = "Other";
  events[3].type = model::EventType::kNormal;
  events[4].pod.uid = PodUid("another");
  std::set<std::string> names;
  for (const auto& event : events) {
    const auto write = series.Add(event, kStart);
    ASSERT_TRUE(write.has_value());
    EXPECT_EQ(write->count, 1);
    names.insert(write->name);
  }
  EXPECT_EQ(names.size(), events.size());
}

TEST(EventSeries, APodIsToldSomethingNewOnlyAFewTimes) {
  EventSeries series;
  for (int i = 0; i < 25; ++i) {
    EXPECT_TRUE(series.Add(Failed(std::to_string(i)), kStart)) << i;
  }
  EXPECT_FALSE(series.Add(Failed("25"), kStart));
  EXPECT_FALSE(series.Add(Failed("25"), kStart + minutes(5) - seconds(1)));
  EXPECT_TRUE(series.Add(Failed("25"), kStart + minutes(5)));
  EXPECT_FALSE(series.Add(Failed("26"), kStart + minutes(5)));
  // Other pods, and other reasons about this one, are not affected.
  EXPECT_TRUE(series.Add(Failed("26", "b"), kStart + minutes(5)));
  model::RecordEvent scheduled = Failed("on node-a");
  scheduled.reason = "Scheduled";
  EXPECT_TRUE(series.Add(scheduled, kStart + minutes(5)));
}

TEST(EventSeries, WhatWasNotToldIsCountedAndShowsLater) {
  EventSeries series({.burst = 1, .refill = minutes(5)});
  const auto first = series.Add(Failed("no GPU"), kStart);
  ASSERT_TRUE(first.has_value());
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(series.Add(Failed("no GPU"), kStart + seconds(i)));
  EXPECT_EQ(series.Add(Failed("no GPU"), kStart + minutes(5)), (EventWrite{first->name, 10}));
}

TEST(EventSeries, AnEventThatWasNeverWrittenIsNotRepeated) {
  EventSeries series({.burst = 1, .refill = minutes(5)});
  EXPECT_TRUE(series.Add(Failed("first"), kStart));
  EXPECT_FALSE(series.Add(Failed("second"), kStart));
  EXPECT_EQ(series.Add(Failed("second"), kStart + minutes(5))->count, 1);
}

TEST(EventSeries, WhatCouldNotBeWrittenStartsAnew) {
  EventSeries series;
  const auto first = series.Add(Failed("no GPU"), kStart);
  series.Forget(Failed("no GPU"));
  const auto second = series.Add(Failed("no GPU"), kStart + seconds(1));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(second->count, 1);
  EXPECT_NE(second->name, first->name);
}

TEST(EventSeries, AClockThatIsSetBackSilencesNobody) {
  EventSeries series({.burst = 1, .refill = minutes(5)});
  EXPECT_TRUE(series.Add(Failed("1"), kStart));
  EXPECT_FALSE(series.Add(Failed("2"), kStart - std::chrono::hours(24)));
  EXPECT_TRUE(series.Add(Failed("2"), kStart - std::chrono::hours(24) + minutes(5)));
}

TEST(EventSeries, RemembersABoundedNumber) {
  EventSeries series({.capacity = 2});
  for (const auto* pod : {"a", "b", "c"}) EXPECT_EQ(series.Add(Failed("m", pod), kStart)->count, 1);
  EXPECT_EQ(series.Add(Failed("m", "c"), kStart)->count, 2);
  EXPECT_EQ(series.Add(Failed("m", "a"), kStart + seconds(1))->count, 1);
}

TEST(EventSeries, ALongPodNameStillGivesAName) {
  EventSeries series;
  const std::string parts = std::string(200, 'a') + "." + std::string(34, 'b') + "-..-" + "cccc";
  for (const auto& pod : {std::string(253, 'x'), parts}) {
    const auto write = series.Add(Failed("m", pod), kStart);
    EXPECT_TRUE(CheckDnsSubdomain(write->name).ok()) << write->name;
  }
}

RC_GTEST_PROP(EventSeries, NeverWritesMoreThanTheBucketHolds, ()) {
  EventSeries series({.burst = 3, .refill = seconds(10)});
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 30));
  TimePoint now = kStart;
  std::int64_t written = 0;
  for (const int step : steps) {
    now += seconds(step % 7);
    if (series.Add(Failed(std::to_string(step)), now)) ++written;
    RC_ASSERT(written <= 3 + (now - kStart) / seconds(10));
  }
}

}  // namespace
}  // namespace gs::kube
