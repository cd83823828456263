#include "core/cycle/claim_status.h"

#include <gtest/gtest.h>

#include <memory>

#include <string>

#include "core/model/allocation.h"
#include "core/model/names.h"

namespace gs::cycle {
namespace {

using model::ConditionStatus;
using std::chrono::milliseconds;
using std::chrono::seconds;

const TimePoint kNow{std::chrono::hours(1)};

class ClaimStatusTest : public testing::Test {
 protected:
  static model::Pod Pod(const std::string& name) {
    model::Pod pod;
    pod.ref = {Namespace("team"), PodName(name), PodUid("uid-" + name)};
    pod.scheduler = SchedulerName("gpu-scheduler");
    pod.annotations.Set(model::names::kClaim, "pair");
    return pod;
  }
  static model::Pod Bound(const std::string& name, std::int32_t gpu, TimePoint at) {
    model::Pod pod = Pod(name);
    pod.node = NodeName("n");
    pod.scheduled = {.status = ConditionStatus::kTrue, .reason = {}, .message = {}, .since = at};
    model::Allocation allocation;
    allocation.pod = pod.ref.uid;
    allocation.gpus = {pod.node, {GpuId(gpu)}};
    allocation.claim = ClaimName("pair");
    for (const auto& [key, text] : model::ResultAnnotations(allocation)) {
      pod.annotations.Set(key, text);
    }
    return pod;
  }
  static model::Pod Waiting(const std::string& name, TimePoint created) {
    model::Pod pod = Pod(name);
    pod.created = created;
    pod.scheduled = {.status = ConditionStatus::kFalse,
                     .reason = "Unschedulable",
                     .message = "TooFewGpus: for " + name,
                     .since = created};
    return pod;
  }
  void See(const model::Pod& pod) {
    (void)cache_.Apply(model::PodSeen{pod}, kNow);
    pods_.insert(pod.ref.uid);
  }
  [[nodiscard]] model::ClaimStatus Status(
      const std::optional<model::ClaimStatus>& shown = {}) const {
    return ClaimStatusOf(pods_, cache_, shown, kNow);
  }

  cache::Cache cache_{{.scheduler = SchedulerName("gpu-scheduler")}};
  std::set<PodUid> pods_;
};

TEST_F(ClaimStatusTest, WithoutPodsItIsPending) {
  const auto status = Status();
  EXPECT_EQ(status.phase, model::ClaimPhase::kPending);
  EXPECT_EQ(status.message, "no pod uses this claim");
  EXPECT_TRUE(status.allocations.empty());
  ASSERT_EQ(status.conditions.size(), 1U);
  EXPECT_EQ(status.conditions[0], (model::ClaimCondition{"Allocated", ConditionStatus::kFalse,
                                                         "NoPods", status.message, kNow}));
}

TEST_F(ClaimStatusTest, TheOldestHolderComesFirst) {
  See(Bound("late", 0, kNow - seconds(1)));
  See(Bound("early", 1, kNow - seconds(2)));
  const auto status = Status();
  EXPECT_EQ(status.phase, model::ClaimPhase::kAllocated);
  EXPECT_EQ(status.allocated, "n:1 n:0");
  EXPECT_EQ(status.allocated_count, 2);
  EXPECT_EQ(status.first_node, NodeName("n"));
  EXPECT_EQ(status.first_ids, std::vector{GpuId(1)});
  ASSERT_EQ(status.allocations.size(), 2U);
  EXPECT_EQ(status.allocations[0].pod, PodName("early"));
  EXPECT_EQ(status.allocations[0].since, kNow - seconds(2));
  EXPECT_EQ(status.message, "2 pods hold GPUs");
}

TEST_F(ClaimStatusTest, TimesAreWholeSecondsAsTheyAreWritten) {
  See(Bound("a", 0, kNow - milliseconds(500)));
  EXPECT_EQ(Status().allocations[0].since, kNow - seconds(1));
}

// The kubelet writes conditions too.
TEST_F(ClaimStatusTest, WhatIsWrittenOnThePodLaterDoesNotChangeSinceWhenItHolds) {
  See(Bound("a", 0, kNow - seconds(9)));
  See(Bound("a", 0, kNow));
  EXPECT_EQ(Status().allocations[0].since, kNow - seconds(9));
}

TEST_F(ClaimStatusTest, APodThatIsAskedToGoStillHoldsAndOneThatHasEndedDoesNot) {
  model::Pod going = Bound("going", 0, kNow);
  going.is_terminating = true;
  See(going);
  model::Pod ended = Bound("ended", 1, kNow);
  ended.phase = model::PodPhase::kSucceeded;
  See(ended);
  EXPECT_EQ(Status().allocated, "n:0");
}

TEST_F(ClaimStatusTest, EightPodsAreOnTheLineAndAHundredInTheList) {
  for (int i = 0; i < 103; ++i) {
    See(Bound("p" + std::to_string(1000 + i), i % 64, kNow));
  }
  const auto status = Status();
  EXPECT_EQ(status.allocated, "n:0 n:1 n:2 n:3 n:4 n:5 n:6 n:7 +95");
  EXPECT_EQ(status.allocations.size(), 100U);
  EXPECT_EQ(status.allocated_count, 103);
}

TEST_F(ClaimStatusTest, SaysHowManyWaitAndWhyTheOldestDoes) {
  See(Waiting("young", kNow - seconds(1)));
  EXPECT_EQ(Status().message, "1 pod waits, young: TooFewGpus: for young");
  EXPECT_EQ(Status().conditions[0].reason, "PodsWait");
  See(Waiting("old", kNow - seconds(2)));
  EXPECT_EQ(Status().message, "2 pods wait, the oldest is old: TooFewGpus: for old");
  EXPECT_EQ(Status().phase, model::ClaimPhase::kPending);
  See(Bound("holder", 0, kNow));
  EXPECT_EQ(Status().message,
            "1 pod holds GPUs; 2 pods wait, the oldest is old: TooFewGpus: for old");
}

// It is on its way, and would make two writes of one.
TEST_F(ClaimStatusTest, APodThatNobodyHasLookedAtYetDoesNotWait) {
  See(Pod("new"));
  EXPECT_EQ(Status().message, "no pod uses this claim");
}

TEST_F(ClaimStatusTest, AConditionKeepsItsTimeWhileItsStatusStays) {
  auto shown = Status();
  shown.conditions[0].since = kNow - seconds(60);
  EXPECT_EQ(Status(shown), shown);
  See(Waiting("w", kNow));
  EXPECT_EQ(Status(shown).conditions[0].since, kNow - seconds(60));
  See(Bound("a", 0, kNow));
  EXPECT_EQ(Status(shown).conditions[0].since, kNow);
}

TEST_F(ClaimStatusTest, TheClaimThatThePodWasBoundThroughCounts) {
  cache::PodRecord record;
  record.pod = Pod("a");
  EXPECT_EQ(ClaimOf(record), ClaimKey(Namespace("team"), ClaimName("pair")));
  model::Allocation bound_with;
  record.kept = bound_with;
  EXPECT_EQ(ClaimOf(record), std::nullopt);
  bound_with.claim = ClaimName("other");
  record.kept = bound_with;
  EXPECT_EQ(ClaimOf(record), ClaimKey(Namespace("team"), ClaimName("other")));
}

}  // namespace
}  // namespace gs::cycle
