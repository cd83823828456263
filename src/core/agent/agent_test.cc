#include "core/agent/agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/agent/values_for_test.h"

namespace gs::agent {
namespace {

using model::WriteOutcome;
using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HeldBy;
using ::testing::IsEmpty;
using testing::kNode;
using testing::kNodeUid;
using testing::MachineWith;
using testing::RefOf;
using testing::RunningPod;

// An agent, and an API server that takes every write unless it is told to be away.
class AgentTest : public ::testing::Test {
 protected:
  AgentTest() {
    BeginNode();
    Hear(model::ViewReached{model::Kind::kMachine, ResourceVersion("1")});
  }

  void BeginNode() {
    model::Node node;
    node.name = kNode;
    node.uid = kNodeUid;
    Hear(model::NodeSeen{node});
    Hear(model::ViewReached{model::Kind::kPod, ResourceVersion("1")});
  }
  void Hear(Event event) { Run({std::move(event)}); }
  void Run(std::vector<Event> events = {}) {
    for (const Command& command : agent_->RunOnce(events, now_)) Carry(command);
  }
  void Carry(const Command& command) {
    if (const auto* look = std::get_if<LookAgain>(&command)) looks_.push_back(look->look);
    if (const auto* raised = std::get_if<RaiseEvent>(&command)) {
      EXPECT_EQ(raised->node, kNodeUid);
      raised_.push_back(raised->reason + ": " + raised->message);
    }
    if (const auto* written = std::get_if<WriteReport>(&command)) {
      if (!is_away_) reports_.push_back(written->report);
    }
    const bool is_write =
        !std::holds_alternative<LookAgain>(command) && !std::holds_alternative<RaiseEvent>(command);
    if (!is_write) return;
    Hear(WriteAnswered{is_away_ ? WriteOutcome::kUnknown : WriteOutcome::kDone,
                       ResourceVersion(is_away_ ? "" : std::to_string(++version_))});
  }
  // Second by second, as a program would at every wake.
  void Pass(int time) {
    for (int i = 0; i < time; ++i) {
      now_ += seconds(1);
      Run();
    }
  }
  void Read(const model::Machine& machine, const std::vector<std::vector<PodUid>>& running = {},
            std::uint64_t look = 0) {
    Hear(DevicesRead{look, testing::ReportOf(machine, running)});
  }
  const model::GpuDevice& Reported(std::size_t gpu) {
    return reports_.back().machine.devices.at(gpu);
  }

  std::optional<Agent> agent_{AgentOptions{.node = kNode, .reporter = "me"}};
  TimePoint now_{hours(1000)};
  int version_ = 10;
  bool is_away_ = false;
  std::vector<model::NodeReport> reports_;
  std::vector<std::string> raised_;
  std::vector<std::uint64_t> looks_;
};

TEST_F(AgentTest, ReportsTheGpusOnce) {
  Read(MachineWith({"A", "B"}));
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_EQ(reports_[0].machine, MachineWith({"A", "B"}));
  EXPECT_EQ(reports_[0].notes.driver_version, "550.1");
  EXPECT_EQ(reports_[0].notes.observed_at, now_);
  Read(MachineWith({"A", "B"}));
  Pass(60);
  EXPECT_EQ(reports_.size(), 1U);
  EXPECT_THAT(raised_, IsEmpty());
}

TEST_F(AgentTest, StaysQuietWhereThereIsNoGpu) {
  Read({});
  Hear(DevicesUnreadable{"no driver"});
  Pass(1000);
  EXPECT_THAT(reports_, IsEmpty());
  EXPECT_THAT(raised_, IsEmpty());
}

TEST_F(AgentTest, ShowsWhoUsesAGpuAndStopsWhenThePodEnds) {
  Read(MachineWith({"A", "B"}));
  model::Pod pod = RunningPod("a", {1});
  Hear(model::PodSeen{pod});
  Pass(11);
  ASSERT_EQ(reports_.size(), 2U);
  EXPECT_THAT(Reported(1).in_use_by, ElementsAre("team/a"));
  pod.phase = model::PodPhase::kSucceeded;
  pod.had_running_container = false;
  Hear(model::PodSeen{pod});
  Pass(11);
  EXPECT_THAT(Reported(1).in_use_by, IsEmpty());
  EXPECT_THAT(looks_, IsEmpty());
}

TEST_F(AgentTest, APodThatVanishesWhileItRunsIsReportedOnAfterALook) {
  Read(MachineWith({"A", "B"}));
  Hear(model::PodSeen{RunningPod("a", {1})});
  Pass(20);
  const std::size_t before = reports_.size();
  Hear(model::PodGone{RefOf("a")});
  EXPECT_THAT(looks_, ElementsAre(1U));
  Read(MachineWith({"A", "B"}), {{}, {}}, 0);  // had begun before
  EXPECT_EQ(reports_.size(), before);
  Read(MachineWith({"A", "B"}), {{}, {PodUid("uid-a")}}, 1);
  ASSERT_EQ(reports_.size(), before + 1);
  EXPECT_THAT(Reported(1).residue, ElementsAre(PodUid("uid-a")));
  EXPECT_THAT(raised_,
              ElementsAre(HasSubstr("GpuResidue: pod uid-a is gone or has ended and still uses")));
  Pass(3);
  Read(MachineWith({"A", "B"}), {{}, {}}, 1);
  ASSERT_EQ(reports_.size(), before + 2);
  EXPECT_THAT(Reported(1).residue, IsEmpty());
}

// As garbage collection and other controllers do while a kubelet does not answer.
TEST_F(AgentTest, APodThatIsDeclaredEndedWhileItRunsIsReportedOnAfterALook) {
  Read(MachineWith({"A", "B"}), {{PodUid("uid-a")}, {}});
  model::Pod pod = RunningPod("a", {0});
  Hear(model::PodSeen{pod});
  Pass(20);
  pod.phase = model::PodPhase::kFailed;
  Hear(model::PodSeen{pod});
  ASSERT_THAT(looks_, ElementsAre(1U));
  Read(MachineWith({"A", "B"}), {{PodUid("uid-a")}, {}}, 1);
  EXPECT_THAT(Reported(0).residue, ElementsAre(PodUid("uid-a")));
  EXPECT_THAT(Reported(0).in_use_by, IsEmpty());
  Pass(2);
  Read(MachineWith({"A", "B"}), {}, 1);
  EXPECT_THAT(Reported(0).residue, IsEmpty());
  // It is seen again, and then deleted; it was looked for already.
  const std::size_t before = reports_.size();
  Hear(model::PodSeen{pod});
  Hear(model::PodGone{pod.ref});
  Pass(20);
  EXPECT_THAT(looks_, ElementsAre(1U));
  EXPECT_EQ(reports_.size(), before);
}

TEST_F(AgentTest, AnAgentThatStartsLooksForPodsThatWereDeclaredEnded) {
  agent_.emplace(AgentOptions{.node = kNode, .reporter = "me"});
  model::Pod pod = RunningPod("a", {0}, {"A"});
  pod.phase = model::PodPhase::kFailed;
  // Meanwhile another GPU has that number.
  Read(MachineWith({"B", "A"}));
  Hear(model::PodSeen{pod});
  EXPECT_THAT(looks_, ElementsAre(1U));
  BeginNode();
  Hear(model::ViewReached{model::Kind::kMachine, ResourceVersion("1")});
  Pass(10);
  EXPECT_THAT(Reported(0).residue, ElementsAre(PodUid("uid-a")));
  EXPECT_THAT(Reported(1).residue, ElementsAre(PodUid("uid-a")));
  Read(MachineWith({"B", "A"}), {{}, {PodUid("uid-a")}}, 1);
  EXPECT_THAT(Reported(0).residue, IsEmpty());
  EXPECT_THAT(Reported(1).residue, ElementsAre(PodUid("uid-a")));
}

TEST_F(AgentTest, APodWhoseContainersHaveEndedIsNotLookedFor) {
  Read(MachineWith({"A"}));
  model::Pod pod = RunningPod("a", {0});
  Hear(model::PodSeen{pod});
  pod.phase = model::PodPhase::kFailed;
  pod.had_running_container = false;
  Hear(model::PodSeen{pod});
  EXPECT_THAT(looks_, IsEmpty());
}

TEST_F(AgentTest, AReportIsOwedAlsoForAPodThatWasNeverShown) {
  Read(MachineWith({"A"}));
  Pass(10);
  Hear(model::PodSeen{RunningPod("a", {0})});
  Hear(model::PodGone{RefOf("a")});
  EXPECT_EQ(reports_.size(), 1U);
  Read(MachineWith({"A"}), {}, 1);
  EXPECT_EQ(reports_.size(), 2U);
}

// A driver that hangs must not make the scheduler believe that a pod has let go.
TEST_F(AgentTest, WithoutALookAGonePodCountsAsLeftBehind) {
  Read(MachineWith({"A"}));
  Hear(model::PodSeen{RunningPod("a", {0})});
  Pass(20);
  Hear(model::PodGone{RefOf("a")});
  Hear(DevicesUnreadable{"NVML does not answer"});
  Pass(10);
  EXPECT_THAT(Reported(0).residue, ElementsAre(PodUid("uid-a")));
  EXPECT_EQ(reports_.back().notes.why_stale, "NVML does not answer");
}

TEST_F(AgentTest, TheKubeletsAnswerIsAwaitedTooWhereItAnswers) {
  Read(MachineWith({"A"}));
  Hear(HeldRead{0, {HeldBy("a", {"A"})}});
  Hear(model::PodSeen{RunningPod("a", {0})});
  Pass(20);
  const std::size_t before = reports_.size();
  Hear(model::PodGone{RefOf("a")});
  Read(MachineWith({"A"}), {}, 1);
  EXPECT_EQ(reports_.size(), before);
  Hear(HeldRead{1, {}});
  ASSERT_EQ(reports_.size(), before + 1);
  EXPECT_THAT(Reported(0).residue, IsEmpty());
}

TEST_F(AgentTest, ProcessesOfNoPodThatWeSeeAreResidueAfterAWhile) {
  Read(MachineWith({"A"}), {{PodUid("uid-x")}});
  Pass(20);
  EXPECT_EQ(reports_.size(), 1U);
  Pass(20);
  ASSERT_EQ(reports_.size(), 2U);
  EXPECT_THAT(Reported(0).residue, ElementsAre(PodUid("uid-x")));
}

TEST_F(AgentTest, AnIllGpuIsToldWithItsPodsAndSoIsItsRecovery) {
  model::Machine machine = MachineWith({"A", "B"});
  Read(machine);
  Hear(model::PodSeen{RunningPod("a", {1})});
  Pass(20);
  machine.devices[1].health_reason = "Xid 79";
  Read(machine);
  Read(machine);
  EXPECT_EQ(Reported(1).health, model::Health::kUnhealthy);
  machine.devices[1].health_reason = {};
  Pass(2);
  Read(machine);
  EXPECT_EQ(Reported(1).health, model::Health::kHealthy);
  EXPECT_THAT(raised_, ElementsAre("GpuUnhealthy: GPU 1 (B) is unhealthy: Xid 79; in use by team/a",
                                   "GpuHealthy: GPU 1 (B) is healthy again"));
}

TEST_F(AgentTest, AFaultCountsAtOnceAndItsEndAfterAQuietTime) {
  Read(MachineWith({"A", "B"}));
  Pass(2);
  Hear(FaultSeen{{GpuUuid("B"), 13, "Xid 13"}});
  EXPECT_EQ(reports_.size(), 1U) << "that was a program's fault";
  Hear(FaultSeen{{GpuUuid("B"), 79, "Xid 79"}});
  ASSERT_EQ(reports_.size(), 2U);
  EXPECT_EQ(Reported(1).health_reason, "Xid 79");
  Pass(200);
  Read(MachineWith({"A", "B"}));
  EXPECT_EQ(Reported(1).health, model::Health::kUnhealthy);
  Pass(101);
  Read(MachineWith({"A", "B"}));
  EXPECT_EQ(Reported(1).health, model::Health::kHealthy);
}

TEST_F(AgentTest, TroubleOutlivesTheAgentAndIsNotToldTwice) {
  model::Machine ill = MachineWith({"A"});
  ill.devices[0].health = model::Health::kUnhealthy;
  ill.devices[0].health_reason = "Xid 79";
  const std::vector<Event> begin{
      model::MachineSeen{kNode, ill, ResourceVersion("5"), kNodeUid, "before", {}},
      model::ViewReached{model::Kind::kMachine, ResourceVersion("5")}};
  agent_.emplace(AgentOptions{.node = kNode, .reporter = "me"});
  BeginNode();
  Read(MachineWith({"A"}));
  EXPECT_THAT(reports_, IsEmpty()) << "what was published is not known yet";
  Run(begin);
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_EQ(Reported(0).health_reason, "Xid 79");
  EXPECT_THAT(raised_, IsEmpty());
}

TEST_F(AgentTest, AGpuThatVanishesIsTold) {
  Read(MachineWith({"A", "B"}));
  Read(MachineWith({"A"}));
  Pass(2);
  EXPECT_EQ(reports_.back().machine.devices.size(), 1U);
  EXPECT_THAT(raised_, ElementsAre("GpuMissing: GPU 1 (B) is gone"));
}

TEST_F(AgentTest, ShiftedGpusAreUnhealthyUntilTheirHolderIsGone) {
  Read(MachineWith({"A", "B", "C"}));
  Hear(model::PodSeen{RunningPod("a", {0}, {"A"})});
  Pass(20);
  Read(MachineWith({"B", "A", "C"}));
  EXPECT_THAT(Reported(0).health_reason.text(), HasSubstr("Renumbered: team/a"));
  EXPECT_THAT(Reported(1).health_reason.text(), HasSubstr("Renumbered: team/a"));
  EXPECT_EQ(Reported(2).health, model::Health::kHealthy);
  Pass(2);
  Hear(model::PodGone{RefOf("a")});
  Read(MachineWith({"B", "A", "C"}), {}, 1);
  EXPECT_EQ(Reported(0).health, model::Health::kHealthy);
}

TEST_F(AgentTest, OtherGpusThanPlannedAreToldOnce) {
  Read(MachineWith({"A", "B"}));
  Hear(model::PodSeen{RunningPod("a", {0})});
  Hear(HeldRead{0, {HeldBy("a", {"B"})}});
  Hear(HeldRead{0, {HeldBy("a", {"B"})}});
  EXPECT_EQ(agent_->mismatches(), 1U);
  EXPECT_THAT(raised_, ElementsAre("GpuMismatch: team/a was given GPUs 1 by the device plugin of "
                                   "the node; the scheduler had planned 0"));
  Pass(11);
  EXPECT_THAT(Reported(0).in_use_by, IsEmpty());
  EXPECT_THAT(Reported(1).in_use_by, ElementsAre("team/a"));
}

TEST_F(AgentTest, WhatCannotBeReadKeepsWhatWasSeenLast) {
  Read(MachineWith({"A"}));
  const TimePoint seen = now_;
  Pass(5);
  Hear(DevicesUnreadable{"driver and library do not fit"});
  Hear(DevicesUnreadable{"driver and library do not fit"});
  Pass(1000);
  ASSERT_EQ(reports_.size(), 2U);
  EXPECT_EQ(reports_[1].machine, MachineWith({"A"}));
  EXPECT_EQ(reports_[1].notes.observed_at, seen);
  EXPECT_EQ(reports_[1].notes.since, seen + seconds(5));
  Read(MachineWith({"A"}));
  EXPECT_EQ(reports_.back().notes.why_stale, "");
  EXPECT_THAT(raised_, ElementsAre(HasSubstr("GpusUnreadable"), HasSubstr("GpusReadable")));
}

TEST_F(AgentTest, AnAgentThatStartsWithoutADriverKeepsItsPredecessorsInventory) {
  model::Machine machine = MachineWith({"A"});
  machine.devices[0].in_use_by = {"team/old"};
  Hear(model::MachineSeen{kNode,
                          machine,
                          ResourceVersion("5"),
                          kNodeUid,
                          "before",
                          {.driver_version = "1", .observed_at = now_ - hours(1)}});
  Hear(DevicesUnreadable{"no driver"});
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_EQ(reports_[0].machine, MachineWith({"A"}));
  EXPECT_EQ(reports_[0].notes.observed_at, now_ - hours(1));
  EXPECT_EQ(reports_[0].notes.driver_version, "1");
}

TEST_F(AgentTest, AnHourWithoutAnApiServerLosesNothing) {
  Read(MachineWith({"A", "B"}));
  is_away_ = true;
  Hear(model::PodSeen{RunningPod("a", {1})});
  model::Machine machine = MachineWith({"A", "B"});
  machine.devices[0].health_reason = "broken";
  Read(machine);
  for (int i = 0; i < 60; ++i) {
    Pass(60);
    Read(machine);
  }
  EXPECT_EQ(reports_.size(), 1U);
  is_away_ = false;
  Pass(61);
  ASSERT_EQ(reports_.size(), 2U);
  EXPECT_THAT(Reported(1).in_use_by, ElementsAre("team/a"));
  EXPECT_EQ(Reported(0).health, model::Health::kUnhealthy);
}

TEST_F(AgentTest, TheElderOfTwoAgentsSaysSoAndStandsBack) {
  Read(MachineWith({"A"}));
  Pass(2);
  Hear(model::MachineSeen{
      kNode, MachineWith({"A", "B"}), ResourceVersion("99"), kNodeUid, "other", {}});
  Read(MachineWith({"A"}));
  Pass(100);
  EXPECT_TRUE(agent_->is_standing_back());
  EXPECT_EQ(reports_.size(), 1U);
  EXPECT_THAT(raised_, ElementsAre(HasSubstr("GpuAgentConflict: agent other reports")));
}

TEST_F(AgentTest, WaitsForTheNode) {
  Hear(model::NodeGone{kNode});
  Read(MachineWith({"A"}));
  EXPECT_THAT(reports_, IsEmpty());
  model::Node node;
  node.uid = kNodeUid;
  Hear(model::NodeSeen{node});
  EXPECT_EQ(reports_.size(), 1U);
}

}  // namespace
}  // namespace gs::agent
