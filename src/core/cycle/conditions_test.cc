#include "core/cycle/conditions.h"

#include <gtest/gtest.h>

namespace gs::cycle {
namespace {

using model::ReasonToken;
using std::chrono::minutes;
using std::chrono::seconds;

const TimePoint kNow{std::chrono::hours(1)};
const model::Reason kHeld{ReasonToken::kGpuHeld, "by a"};
const model::Reason kHeldByB{ReasonToken::kGpuHeld, "by b"};
const model::Reason kMissing{ReasonToken::kNodeMissing, "n9"};

model::Pod Pod() {
  model::Pod pod;
  pod.ref = {Namespace("team"), PodName("p"), PodUid("u")};
  return pod;
}

TEST(Conditions, TheFirstTimeIsSaidWithAnEvent) {
  Conditions conditions;
  const auto said = conditions.Say(Pod(), kHeld, kNow);
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(std::get<model::SetUnschedulable>(said[0]).reason, kHeld);
  EXPECT_EQ(std::get<model::RecordEvent>(said[1]).reason, "FailedScheduling");
  EXPECT_EQ(std::get<model::RecordEvent>(said[1]).message, "GpuHeld: by a");
}

TEST(Conditions, TheSameIsNotSaidAgain) {
  Conditions conditions;
  (void)conditions.Say(Pod(), kHeld, kNow);
  EXPECT_TRUE(conditions.Say(Pod(), kHeld, kNow + minutes(60)).empty());
}

TEST(Conditions, AnotherCauseIsSaidAtOnce) {
  Conditions conditions;
  (void)conditions.Say(Pod(), kHeld, kNow);
  EXPECT_FALSE(conditions.Say(Pod(), kMissing, kNow + seconds(1)).empty());
}

TEST(Conditions, AnotherDetailIsSaidAfterTheInterval) {
  Conditions conditions(minutes(5));
  (void)conditions.Say(Pod(), kHeld, kNow);
  EXPECT_TRUE(conditions.Say(Pod(), kHeldByB, kNow + minutes(5) - seconds(1)).empty());
  EXPECT_FALSE(conditions.Say(Pod(), kHeldByB, kNow + minutes(5)).empty());
}

TEST(Conditions, WhatStandsOnThePodAlreadyIsNotWrittenAgain) {
  Conditions conditions;
  model::Pod pod = Pod();
  pod.scheduled = {.status = model::ConditionStatus::kFalse,
                   .reason = "Unschedulable",
                   .message = ToString(kHeld)};
  EXPECT_TRUE(conditions.Say(pod, kHeld, kNow).empty());
  EXPECT_FALSE(conditions.Say(pod, kMissing, kNow).empty());
}

// Whoever reads the condition learns since when the pod waits, not since when for this reason.
TEST(Conditions, AnotherReasonDoesNotChangeSinceWhenThePodWaits) {
  const auto since = [](const std::vector<model::Command>& said) {
    return std::get<model::SetUnschedulable>(said.at(0)).since;
  };
  Conditions conditions;
  EXPECT_EQ(since(conditions.Say(Pod(), kHeld, kNow)), kNow);
  EXPECT_EQ(since(conditions.Say(Pod(), kMissing, kNow + seconds(1))), kNow);
  // Said by a process before us.
  model::Pod pod = Pod();
  pod.scheduled = {.status = model::ConditionStatus::kFalse,
                   .reason = "Unschedulable",
                   .message = ToString(kHeld),
                   .since = kNow - minutes(3)};
  EXPECT_EQ(since(Conditions().Say(pod, kMissing, kNow)), kNow - minutes(3));
  // Nobody says since when it is true any more.
  pod.scheduled.status = model::ConditionStatus::kTrue;
  EXPECT_EQ(since(Conditions().Say(pod, kMissing, kNow)), kNow);
}

TEST(Conditions, AForgottenPodIsNew) {
  Conditions conditions;
  (void)conditions.Say(Pod(), kHeld, kNow);
  conditions.Forget(PodUid("u"));
  EXPECT_FALSE(conditions.Say(Pod(), kHeld, kNow).empty());
}

}  // namespace
}  // namespace gs::cycle
