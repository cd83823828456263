#include "core/cycle/claim_writes.h"

#include <gtest/gtest.h>

#include <string>

#include "core/model/names.h"

namespace gs::cycle {
namespace {

using model::WriteOutcome;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const TimePoint kNow{std::chrono::hours(1)};

class ClaimWritesTest : public testing::Test {
 protected:
  static model::Claim Claim(const std::string& name, int version = 1,
                            const std::optional<model::ClaimStatus>& status = {}) {
    model::Claim claim;
    claim.ns = Namespace("team");
    claim.name = ClaimName(name);
    claim.resource_version = ResourceVersion(std::to_string(version));
    claim.status = status;
    return claim;
  }
  void See(const model::Event& event, TimePoint now = kNow) {
    (void)cache_.Apply(event, now);
    writes_.Apply(event, cache_, now);
  }
  // Another message of it is another status of the claim.
  void SeeWaiting(const std::string& message, TimePoint now = kNow) {
    model::Pod pod;
    pod.ref = {Namespace("team"), PodName("p"), PodUid("u")};
    pod.annotations.Set(model::names::kClaim, "c");
    pod.scheduled = {
        .status = model::ConditionStatus::kFalse, .reason = "Unschedulable", .message = message};
    See(model::PodSeen{pod}, now);
  }
  void Answer(WriteOutcome outcome, int version = 0, TimePoint now = kNow) {
    See(model::ClaimStatusAnswered{Namespace("team"), ClaimName("c"), outcome,
                                   ResourceVersion(version == 0 ? "" : std::to_string(version))},
        now);
  }
  std::vector<model::Command> Due(TimePoint now = kNow) { return writes_.Due(cache_, now); }
  std::string MessageDue(TimePoint now) {
    const auto due = Due(now);
    return due.size() == 1 ? std::get<model::WriteClaimStatus>(due[0]).status.message
                           : std::to_string(due.size()) + " writes";
  }
  model::ClaimStatus Written(TimePoint now = kNow) {
    const auto due = Due(now);
    EXPECT_EQ(due.size(), 1U);
    return due.empty() ? model::ClaimStatus{} : std::get<model::WriteClaimStatus>(due[0]).status;
  }

  cache::Cache cache_{{.scheduler = SchedulerName("gpu-scheduler")}};
  ClaimWrites writes_;
};

TEST_F(ClaimWritesTest, AClaimThatShowsNothingIsWrittenOnce) {
  EXPECT_EQ(writes_.NextWake(), std::nullopt);
  See(model::ClaimSeen{Claim("c")});
  const auto status = Written();
  Answer(WriteOutcome::kDone, 2);
  See(model::ClaimSeen{Claim("c", 2, status)});
  EXPECT_TRUE(Due(kNow + minutes(1)).empty());
  EXPECT_EQ(writes_.NextWake(), std::nullopt);
}

TEST_F(ClaimWritesTest, AClaimThatShowsWhatItShouldIsLeftAlone) {
  const auto shown = ClaimStatusOf({}, cache_, {}, kNow - minutes(5));
  See(model::ClaimSeen{Claim("c", 1, shown)});
  EXPECT_TRUE(Due().empty());
  EXPECT_EQ(writes_.NextWake(), std::nullopt);
}

TEST_F(ClaimWritesTest, WhatHappensDuringAWriteIsInTheNextOneASecondLater) {
  See(model::ClaimSeen{Claim("c")});
  (void)Written();
  SeeWaiting("one");
  SeeWaiting("two");
  EXPECT_TRUE(Due(kNow + seconds(9)).empty());  // one is still under way
  Answer(WriteOutcome::kDone, 2);
  EXPECT_EQ(writes_.NextWake(), kNow + seconds(1));
  EXPECT_TRUE(Due(kNow + seconds(1) - milliseconds(1)).empty());
  EXPECT_EQ(MessageDue(kNow + seconds(1)), "1 pod waits, p: two");
}

TEST_F(ClaimWritesTest, TwentyAtOnceAndTenPerSecondAfterwards) {
  for (int i = 100; i < 150; ++i) See(model::ClaimSeen{Claim("c" + std::to_string(i))});
  EXPECT_EQ(Due().size(), 20U);
  EXPECT_EQ(writes_.NextWake(), kNow + milliseconds(100));
  EXPECT_EQ(Due(kNow + milliseconds(99)).size(), 0U);
  EXPECT_EQ(Due(kNow + seconds(1)).size(), 10U);
  EXPECT_EQ(Due(kNow + minutes(1)).size(), 20U);
}

TEST_F(ClaimWritesTest, AWriteThatFailedIsTriedAgainAfterAWhileThatDoubles) {
  See(model::ClaimSeen{Claim("c")});
  (void)Written();
  TimePoint now = kNow;
  for (const int wait : {2, 4, 8}) {
    Answer(WriteOutcome::kUnknown, 0, now);
    EXPECT_EQ(writes_.NextWake(), now + seconds(wait));
    now += seconds(wait);
    (void)Written(now);
  }
  Answer(WriteOutcome::kDone, 2, now);
  EXPECT_EQ(writes_.NextWake(), std::nullopt);
}

TEST_F(ClaimWritesTest, WhatTheServerDoesNotTakeIsTriedRarely) {
  for (const auto outcome : {WriteOutcome::kNotFound, WriteOutcome::kRefused}) {
    See(model::ClaimSeen{Claim("c")});
    (void)Written();
    Answer(outcome);
    EXPECT_EQ(writes_.NextWake(), kNow + minutes(5));
    See(model::ClaimGone{Namespace("team"), ClaimName("c")});
  }
}

TEST_F(ClaimWritesTest, AClaimThatIsGoneIsForgotten) {
  See(model::ClaimSeen{Claim("c")});
  See(model::ClaimGone{Namespace("team"), ClaimName("c")});
  EXPECT_TRUE(Due().empty());
  See(model::ClaimSeen{Claim("c", 3)});
  (void)Written();
  See(model::ClaimGone{Namespace("team"), ClaimName("c")});
  Answer(WriteOutcome::kDone, 4);
  EXPECT_EQ(writes_.NextWake(), std::nullopt);
}

// A watch is behind the answers.
TEST_F(ClaimWritesTest, AnOlderPictureOfTheClaimChangesNothing) {
  See(model::ClaimSeen{Claim("c", 1)});
  (void)Written();
  Answer(WriteOutcome::kDone, 5);
  See(model::ClaimSeen{Claim("c", 3)});
  EXPECT_TRUE(Due(kNow + minutes(10)).empty());
}

// Such as a write of ours that everybody had given up.
TEST_F(ClaimWritesTest, WhatSomebodyElseWroteIsMended) {
  See(model::ClaimSeen{Claim("c", 1)});
  const auto status = Written();
  Answer(WriteOutcome::kDone, 2);
  TimePoint now = kNow;
  for (const int wait : {2, 4, 8}) {
    See(model::ClaimSeen{Claim("c", 3)}, now);
    EXPECT_TRUE(Due(now + seconds(wait) - milliseconds(1)).empty());
    now += seconds(wait);
    EXPECT_EQ(Written(now).message, status.message);
    Answer(WriteOutcome::kDone, 3, now);
  }
  // Something new is said soon.
  SeeWaiting("one", now);
  EXPECT_EQ(writes_.NextWake(), now + seconds(1));
}

TEST_F(ClaimWritesTest, APodThatLeavesIsNoticed) {
  See(model::ClaimSeen{Claim("c")});
  SeeWaiting("one");
  EXPECT_EQ(MessageDue(kNow), "1 pod waits, p: one");
  Answer(WriteOutcome::kDone, 2);
  See(model::PodGone{{Namespace("team"), PodName("p"), PodUid("u")}, ResourceVersion("9")});
  EXPECT_EQ(MessageDue(kNow + seconds(1)), "no pod uses this claim");
}

}  // namespace
}  // namespace gs::cycle
