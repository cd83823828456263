#include "core/cycle/stays.h"

#include <gtest/gtest.h>

#include <chrono>

namespace gs::cycle {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const model::PodRef kService{Namespace("team"), PodName("service"), PodUid("s")};
const model::PodRef kJob{Namespace("team"), PodName("job"), PodUid("j")};
constexpr TimePoint kStart = TimePoint(hours(100));

TEST(Stays, BothTimesDoubleUpToALimit) {
  Stays stays(minutes(5));
  TimePoint now = kStart;
  for (const auto& [keep, pause] :
       {std::pair(10, 30), std::pair(20, 60), std::pair(40, 120), std::pair(60, 240)}) {
    EXPECT_EQ(stays.KeepFor({kService}), minutes(keep));
    stays.Note({kService}, now);
    EXPECT_EQ(stays.NextEnd(now), now + minutes(pause));
    now += minutes(pause);
  }
  for (int i = 0; i < 40; ++i) stays.Note({kService}, now);
  EXPECT_EQ(stays.KeepFor({kService}), hours(1));
  EXPECT_EQ(stays.NextEnd(now), now + hours(24));
}

TEST(Stays, NobodyIsWaitedForDuringThePause) {
  Stays stays(minutes(5));
  EXPECT_FALSE(stays.NextEnd(kStart));
  stays.Note({kService}, kStart);
  EXPECT_EQ(stays.At(kStart), (std::set{kService.uid}));
  EXPECT_TRUE(stays.At(kStart + minutes(30)).empty());
  EXPECT_FALSE(stays.NextEnd(kStart + minutes(30)));
}

TEST(Stays, WhoStayedMoreOftenIsWaitedForLonger) {
  Stays stays(minutes(5));
  stays.Note({kService}, kStart);
  EXPECT_EQ(stays.KeepFor({kJob}), minutes(10));
  EXPECT_EQ(stays.KeepFor({kJob, kService}), minutes(20));
}

TEST(Stays, WhoHasLeftIsForgotten) {
  cache::Cache cache({.scheduler = SchedulerName("gpu-scheduler")});
  model::Pod pod;
  pod.ref = kService;
  pod.node = NodeName("n1");
  (void)cache.Apply(model::PodSeen{pod}, kStart);
  Stays stays(minutes(5));
  stays.Note({kService, kJob}, kStart);
  stays.Tidy(cache);
  EXPECT_EQ(stays.At(kStart), (std::set{kService.uid}));
  pod.phase = model::PodPhase::kSucceeded;
  (void)cache.Apply(model::PodSeen{pod}, kStart);
  stays.Tidy(cache);
  EXPECT_TRUE(stays.all().empty());
}

}  // namespace
}  // namespace gs::cycle
