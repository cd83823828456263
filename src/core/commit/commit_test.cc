#include "core/commit/commit.h"

#include <gtest/gtest.h>

#include <chrono>

#include "core/commit/rig.h"

namespace gs::commit {
namespace {

using model::AllocationMode;
using model::BindPod;
using model::CreateLease;
using model::InFlightListed;
using model::LeaseAnswered;
using model::ListInFlight;
using model::Pod;
using model::WriteOutcome;

std::string WhyNot(Rig& rig) {
  const auto finished = rig.TakeOnlyReport<Finished>();
  return finished && finished->not_bound ? finished->not_bound->reason : "none";
}

TEST(Commit, AGpuThatABoundPodHasIsNotGivenAgain) {
  Rig rig;
  rig.Lead();
  const Pod holder = PodNamed("a", "80");
  rig.Apply(model::PodSeen{Bound(holder, AllocationOf(holder, {0}), "85")});
  (void)rig.TakeCommands();
  const Pod pod = PodNamed("b", "80");
  rig.Start(PlanOf(pod, AllocationOf(pod, {0, 1}), "a1"));
  EXPECT_EQ(WhyNot(rig), "gpu-node-a-0 is held by default/a");
  EXPECT_TRUE(rig.TakeCommands().empty());
}

TEST(Commit, AGpuThatIsBeingGivenIsNotGivenAgain) {
  Rig rig;
  rig.Lead();
  const Pod first = PodNamed("a", "80");
  const Pod second = PodNamed("b", "80");
  rig.Start(PlanOf(first, AllocationOf(first, {0}), "a1"));
  rig.Start(PlanOf(second, AllocationOf(second, {0}), "a2"));
  EXPECT_EQ(WhyNot(rig), "gpu-node-a-0 is being given to default/a");
}

TEST(Commit, ABoundPodCountsBeforeTheViewShowsIt) {
  Rig rig;
  rig.Lead();
  const Pod first = PodNamed("a", "80");
  const Pod second = PodNamed("b", "80");
  rig.Apply(model::PodSeen{first});
  rig.Start(PlanOf(first, AllocationOf(first, {0}), "a1"));
  rig.Apply(InFlightListed{1});
  rig.Apply(
      LeaseAnswered{model::LeaseNameOf(kNode, GpuId(0)), AttemptId("a1"), WriteOutcome::kDone});
  rig.Apply(model::BindAnswered{first.ref.uid, AttemptId("a1"), WriteOutcome::kDone});
  rig.Apply(model::PodSeen{first});  // from before the Binding
  (void)rig.TakeReports();
  rig.Start(PlanOf(second, AllocationOf(second, {0}), "a2"));
  EXPECT_EQ(WhyNot(rig), "gpu-node-a-0 is held by default/a");
}

TEST(Commit, SharersMayMeet) {
  Rig rig;
  rig.Lead();
  const Pod first = PodNamed("a", "80");
  const Pod second = PodNamed("b", "80");
  rig.Start(PlanOf(first, AllocationOf(first, {0}, AllocationMode::kShared), "a1"));
  rig.Start(PlanOf(second, AllocationOf(second, {0}, AllocationMode::kShared), "a2"));
  EXPECT_TRUE(rig.TakeReports().empty());
}

TEST(Commit, AtMost128PodsAreOnTheListAndTheOthersQueue) {
  Rig rig;
  rig.Lead();
  for (int i = 0; i < 130; ++i) {
    const Pod pod = PodNamed("p" + std::to_string(i), "80");
    rig.commit().Start(PlanOf(pod, AllocationOf(pod, {i}), "a" + std::to_string(i)), TimePoint());
  }
  rig.Pass(Duration(0));
  const auto list = rig.TakeOnly<ListInFlight>();
  ASSERT_TRUE(list);
  EXPECT_EQ(list->revision, 1U);
  EXPECT_EQ(list->pods.size(), 128U);
  rig.Apply(InFlightListed{1});
  EXPECT_EQ(rig.TakeCommands().size(), 128U);
  rig.Apply(model::PodGone{PodNamed("p0", "80").ref});
  const auto next = rig.TakeOnly<ListInFlight>();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->revision, 2U);
  EXPECT_EQ(next->pods.size(), 128U);
  rig.Apply(InFlightListed{2});
  const auto lock = rig.TakeOnly<CreateLease>();
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->attempt, AttemptId("a128"));
}

TEST(Commit, ChangesOfOneTickAreOneList) {
  Rig rig;
  rig.Lead();
  const Pod first = PodNamed("a", "80");
  const Pod second = PodNamed("b", "80");
  rig.commit().Start(PlanOf(first, AllocationOf(first, {0}), "a1"), TimePoint());
  rig.commit().Start(PlanOf(second, AllocationOf(second, {1}), "a2"), TimePoint());
  rig.Pass(Duration(0));
  EXPECT_EQ(rig.TakeOnly<ListInFlight>(), (ListInFlight{1, {first.ref, second.ref}}));
}

TEST(Commit, AQueuedPodThatIsGoneNeverGetsOnTheList) {
  Rig rig;
  rig.Lead();
  const Pod pod = PodNamed("a", "80");
  rig.commit().Start(PlanOf(pod, AllocationOf(pod, {0}), "a1"), TimePoint());
  rig.commit().Apply(model::PodGone{pod.ref}, TimePoint());
  rig.Pass(Duration(0));
  EXPECT_TRUE(rig.TakeCommands().empty());
  EXPECT_EQ(WhyNot(rig), "the pod is gone");
}

TEST(Commit, WithTheRulesOffNothingProtects) {
  Rig rig(Rules{.listed = false, .rvpre = false, .touch = false});
  rig.Lead();
  const Pod pod = PodNamed("a", "80");
  rig.Start(PlanOf(pod, AllocationOf(pod, {0}), "a1"));
  EXPECT_TRUE(rig.TakeOnly<CreateLease>());
  rig.Apply(
      LeaseAnswered{model::LeaseNameOf(kNode, GpuId(0)), AttemptId("a1"), WriteOutcome::kDone});
  const auto bind = rig.TakeOnly<BindPod>();
  ASSERT_TRUE(bind);
  EXPECT_TRUE(bind->resource_version.empty());
  rig.Apply(model::BindAnswered{pod.ref.uid, AttemptId("a1"), WriteOutcome::kUnknown});
  EXPECT_EQ(WhyNot(rig), "looked unbound");
}

}  // namespace
}  // namespace gs::commit
