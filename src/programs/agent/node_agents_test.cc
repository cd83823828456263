#include "programs/agent/node_agents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/agent/values_for_test.h"

namespace gs::agent {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::MachineWith;
using testing::ReportOf;

const NodeName kA("node-a");
const NodeName kB("node-b");

class NodeAgentsTest : public ::testing::Test {
 protected:
  NodeAgentsTest() {
    for (const NodeName& name : {kA, kB}) {
      model::Node node;
      node.name = name;
      node.uid = NodeUid("uid-" + name.text());
      agents_.Hear(model::Event(model::NodeSeen{node}));
    }
    agents_.Hear(model::Event(model::ViewReached{model::Kind::kPod, ResourceVersion("1")}));
  }
  // What is written, and done at once.
  std::vector<NodeName> Run() {
    std::vector<NodeName> written;
    for (const auto& said : agents_.RunOnce(now_)) {
      const bool is_write = !std::holds_alternative<LookAgain>(said.command) &&
                            !std::holds_alternative<RaiseEvent>(said.command);
      if (std::holds_alternative<LookAgain>(said.command)) looked_.push_back(said.node);
      if (!is_write) continue;
      if (std::holds_alternative<WriteReport>(said.command)) written.push_back(said.node);
      agents_.Hear(said.node, WriteAnswered{model::WriteOutcome::kDone,
                                            ResourceVersion(std::to_string(++version_))});
    }
    return written;
  }
  void Settle() {
    for (const NodeName& name : {kA, kB})
      agents_.Hear(name, DevicesRead{0, ReportOf(MachineWith({"A"}))});
    agents_.Hear(model::Event(model::KindMissing{model::Kind::kMachine}));
    while (agents_.NextWake() == TimePoint{}) (void)Run();
  }

  NodeAgents agents_{
      {AgentOptions{.node = kA, .reporter = "me"}, AgentOptions{.node = kB, .reporter = "me"}}};
  TimePoint now_{hours(1000)};
  int version_ = 10;
  std::vector<NodeName> looked_;
};

TEST_F(NodeAgentsTest, EachNodeHasItsOwnReport) {
  for (const NodeName& name : {kA, kB})
    agents_.Hear(name, DevicesRead{0, ReportOf(MachineWith({"A"}))});
  EXPECT_THAT(Run(), ::testing::IsEmpty()) << "what is there is not known yet";
  agents_.Hear(model::Event(model::ViewReached{model::Kind::kMachine, ResourceVersion("1")}));
  (void)Run();
  EXPECT_THAT(Run(), ::testing::ElementsAre(kA, kB));
}

TEST_F(NodeAgentsTest, AClusterWithoutTheKindIsOneWithoutReports) {
  agents_.Hear(kB, DevicesRead{0, ReportOf(MachineWith({"A"}))});
  agents_.Hear(model::Event(model::KindMissing{model::Kind::kMachine}));
  (void)Run();
  EXPECT_THAT(Run(), ::testing::ElementsAre(kB));
}

TEST_F(NodeAgentsTest, APodThatIsGoneIsToldToTheNodeItWasOn) {
  Settle();
  model::Pod pod = testing::RunningPod("a", {0});
  pod.annotations = model::ResultAnnotations([] {
    model::Allocation plan = testing::PlanFor("a", {0});
    plan.gpus.node = kB;
    return plan;
  }());
  pod.node = kB;
  agents_.Hear(model::Event(model::PodSeen{pod}));
  (void)Run();
  agents_.Hear(model::Event(model::PodGone{pod.ref}));
  (void)Run();
  EXPECT_THAT(looked_, ::testing::ElementsAre(kB));
}

TEST_F(NodeAgentsTest, NodesSleepUntilTheirTimeHasCome) {
  Settle();
  EXPECT_EQ(agents_.NextWake(), std::nullopt);
  now_ += hours(1);
  EXPECT_THAT(Run(), ::testing::IsEmpty()) << "nothing was read since";
  agents_.Hear(kA, DevicesRead{0, ReportOf(MachineWith({"A"}))});
  EXPECT_THAT(Run(), ::testing::ElementsAre(kA));
}

TEST_F(NodeAgentsTest, WhatConcernsOtherNodesIsDropped) {
  Settle();
  model::Pod pod = testing::RunningPod("a", {0});
  pod.node = NodeName("elsewhere");
  agents_.Hear(model::Event(model::PodSeen{pod}));
  agents_.Hear(model::Event(model::PodGone{pod.ref}));
  agents_.Hear(model::Event(model::MachineGone{NodeName("elsewhere")}));
  EXPECT_EQ(agents_.NextWake(), std::nullopt);
}

}  // namespace
}  // namespace gs::agent
