// What the scenarios cannot see: when the cycle wants to run again, and how it is drained. Where
// pods go is told in tests/scenarios/schedule.
#include "core/cycle/cycle.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gs::cycle {
namespace {

using model::Kind;

const TimePoint kNow{std::chrono::hours(1)};

model::Node Node(std::int64_t gpus) {
  model::Node node;
  node.name = NodeName("n1");
  node.allocatable = {.cpu_milli = 8000, .memory_bytes = 0, .gpus = gpus, .others = {}};
  node.allocatable_pods = 110;
  node.gpu_capacity = gpus;
  return node;
}

model::Pod Pod(const std::string& name, std::int64_t gpus = 1) {
  model::Pod pod;
  pod.ref = {Namespace("team"), PodName(name), PodUid("uid-" + name)};
  pod.resource_version = ResourceVersion("5");
  pod.scheduler = SchedulerName("gpu-scheduler");
  pod.requests.gpus = gpus;
  return pod;
}

std::vector<model::Event> Synced() {
  std::vector<model::Event> events;
  for (const Kind kind : model::kAllKinds) {
    events.emplace_back(model::ViewReached{kind, ResourceVersion("10")});
  }
  return events;
}

class CycleTest : public testing::Test {
 protected:
  CycleTest() : cycle_({.scheduler = SchedulerName("gpu-scheduler"), .leader = "me"}) {}

  std::vector<model::Command> See(std::vector<model::Event> events, TimePoint now = kNow) {
    return cycle_.RunOnce(events, now);
  }
  void Lead(std::vector<model::Event> seen) {
    for (auto& event : Synced()) seen.push_back(event);
    seen.emplace_back(model::LeadershipWon{.transitions = 1, .settled = ResourceVersion("9")});
    commands_ = See(std::move(seen));
  }
  template <class Command>
  bool HasSent() const {
    return std::any_of(commands_.begin(), commands_.end(), [](const auto& command) {
      return std::holds_alternative<Command>(command);
    });
  }

  Cycle cycle_;
  std::vector<model::Command> commands_;
};

TEST_F(CycleTest, ListsAPodBeforeItBindsIt) {
  Lead({model::NodeSeen{Node(1)}, model::PodSeen{Pod("a")}});
  EXPECT_TRUE(cycle_.is_deciding());
  EXPECT_TRUE(HasSent<model::ListInFlight>());
  EXPECT_FALSE(HasSent<model::BindPod>());
  commands_ = See({model::InFlightListed{1}});
  EXPECT_TRUE(HasSent<model::BindPod>());
  EXPECT_FALSE(HasSent<model::CreateLease>());
}

model::InFlightPod InFlight(const std::string& name) {
  return {
      .pod = Pod(name).ref, .noted = ResourceVersion("8"), .gpus = {NodeName("n1"), {GpuId(0)}}};
}

// What the predecessor was binding has its GPUs until it is known what became of it, and the others
// are placed around it.
TEST_F(CycleTest, WhatAPredecessorWasBindingKeepsItsGpus) {
  std::vector<model::Event> seen = Synced();
  seen.emplace_back(model::NodeSeen{Node(2)});
  seen.emplace_back(model::PodSeen{Pod("a")});
  seen.emplace_back(model::PodSeen{Pod("b")});
  seen.emplace_back(model::LeadershipWon{
      .transitions = 2, .inherited = {InFlight("a")}, .settled = ResourceVersion("9")});
  commands_ = See(std::move(seen));
  EXPECT_TRUE(HasSent<model::TouchPod>());
  const auto list = std::find_if(commands_.begin(), commands_.end(), [](const auto& command) {
    return std::holds_alternative<model::ListInFlight>(command);
  });
  ASSERT_NE(list, commands_.end());
  const auto& in_flight = std::get<model::ListInFlight>(*list).in_flight;
  ASSERT_EQ(in_flight.size(), 2U);
  EXPECT_EQ(in_flight[0], InFlight("a"));
  EXPECT_EQ(in_flight[1].gpus.ids, std::vector{GpuId(1)});
}

TEST_F(CycleTest, WhatAnotherReleaseIsBindingIsTakenUntilItIsNot) {
  const model::FenceSeen theirs{.others = {{.in_flight = InFlight("theirs")}}};
  Lead({theirs, model::NodeSeen{Node(1)}, model::PodSeen{Pod("a")}});
  EXPECT_FALSE(HasSent<model::ListInFlight>());
  commands_ = See({model::FenceSeen{}});
  EXPECT_TRUE(HasSent<model::ListInFlight>());
}

TEST_F(CycleTest, IsNotReadyWhileTheFenceIsNotItsOwn) {
  (void)See(Synced());
  EXPECT_EQ(cycle_.WhyNotReady(), "");
  (void)See({model::FenceStanding{"another release leads"}});
  EXPECT_EQ(cycle_.WhyNotReady(), "another release leads");
  (void)See({model::FenceStanding{}});
  (void)See({model::LeadershipWon{.transitions = 1, .settled = ResourceVersion("11")}});
  EXPECT_EQ(cycle_.WhyNotReady(),
            "the view of pods has to come to version 11 before anything is decided");
  (void)See({model::ViewReached{Kind::kPod, ResourceVersion("11")}});
  EXPECT_EQ(cycle_.WhyNotReady(), "");
}

TEST_F(CycleTest, APodWithoutGpusIsBoundAtOnce) {
  Lead({model::NodeSeen{Node(0)}, model::PodSeen{Pod("a", 0)}});
  EXPECT_FALSE(HasSent<model::ListInFlight>());
  EXPECT_TRUE(HasSent<model::BindPod>());
}

TEST_F(CycleTest, WantsToRunAgainOnlyWhenSomethingIsDue) {
  EXPECT_EQ(cycle_.NextWake(), std::nullopt);
  Lead({model::NodeSeen{Node(1)}, model::PodSeen{Pod("large", 2)}});
  EXPECT_EQ(cycle_.NextWake(), kNow + std::chrono::minutes(5));
}

TEST_F(CycleTest, ADrainedCycleTakesNoNewPodsAndFinishesTheOldOnes) {
  Lead({model::NodeSeen{Node(2)}, model::PodSeen{Pod("a", 0)}});
  cycle_.Drain();
  EXPECT_FALSE(cycle_.is_drained());
  commands_ = See({model::PodSeen{Pod("b", 0)}});
  EXPECT_FALSE(HasSent<model::BindPod>());
  (void)See({model::BindAnswered{PodUid("uid-a"), AttemptId("me-1"), model::WriteOutcome::kDone}});
  EXPECT_TRUE(cycle_.is_drained());
}

TEST_F(CycleTest, TellsOnceWhichTableWouldHaveHelped) {
  Lead({model::NodeSeen{Node(4)}, model::PodSeen{Pod("a", 2)}, model::PodSeen{Pod("b", 2)}});
  auto wishes = cycle_.TakeTableWishes();
  ASSERT_EQ(wishes.size(), 1U);
  EXPECT_EQ(wishes[0].key.count, 2);
  cycle_.AddTable(wishes[0], *devices::BuildTable(*wishes[0].topology, wishes[0].key));
  (void)See({model::PodSeen{Pod("c", 2)}});
  EXPECT_TRUE(cycle_.TakeTableWishes().empty());
}

TEST_F(CycleTest, WhoHasLostTheLeadIsSilent) {
  Lead({model::NodeSeen{Node(1)}});
  (void)See({model::LeadershipLost{"renewal failed"}});
  EXPECT_FALSE(cycle_.is_deciding());
  EXPECT_TRUE(See({model::PodSeen{Pod("a")}}).empty());
}

// A list may tell a pod as it was before our Binding, after the Binding was answered.
TEST_F(CycleTest, AnOldPictureOfABoundPodIsNotDecidedAgain) {
  Lead({model::NodeSeen{Node(0)}, model::PodSeen{Pod("a", 0)}});
  (void)See({model::BindAnswered{PodUid("uid-a"), AttemptId("me-1"), model::WriteOutcome::kDone}});
  commands_ = See({model::PodSeen{Pod("a", 0)}});
  EXPECT_FALSE(HasSent<model::BindPod>());
}

TEST_F(CycleTest, NotesSayWhatOneRunFoundOut) {
  model::Pod small = Pod("small", 0);
  small.created = kNow - std::chrono::seconds(7);
  Lead({model::NodeSeen{Node(1)}, model::PodSeen{Pod("large", 2)}, model::PodSeen{small}});
  EXPECT_EQ(cycle_.notes().placed, 1U);
  EXPECT_EQ(cycle_.notes().without_place, 1U);
  EXPECT_EQ(cycle_.in_flight(), 1U);
  const TimePoint later = kNow + std::chrono::seconds(1);
  (void)See({model::BindAnswered{small.ref.uid, AttemptId("me-1"), model::WriteOutcome::kDone}},
            later);
  EXPECT_EQ(cycle_.notes().placed, 0U);
  ASSERT_EQ(cycle_.notes().ended.size(), 1U);
  const Ended& ended = cycle_.notes().ended.front();
  EXPECT_EQ(ended.pod, small.ref);
  EXPECT_EQ(ended.not_bound, std::nullopt);
  EXPECT_EQ(ended.launched.placement.node, NodeName("n1"));
  EXPECT_EQ(ended.launched.created, small.created);
  EXPECT_EQ(ended.launched.wait, (pending::Wait{.since = kNow, .tries = 0}));
  EXPECT_EQ(ended.launched.at, kNow);
}

TEST_F(CycleTest, NotesSayWhyAnAttemptFailed) {
  Lead({model::NodeSeen{Node(0)}, model::PodSeen{Pod("a", 0)}});
  (void)See(
      {model::BindAnswered{PodUid("uid-a"), AttemptId("me-1"), model::WriteOutcome::kRefused}});
  ASSERT_EQ(cycle_.notes().ended.size(), 1U);
  const auto& why = cycle_.notes().ended.front().not_bound;
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->step, commit::Step::kBinding);
  EXPECT_EQ(why->outcome, model::WriteOutcome::kRefused);
}

}  // namespace
}  // namespace gs::cycle
