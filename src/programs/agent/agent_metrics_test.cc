#include "programs/agent/agent_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/agent/values_for_test.h"

namespace gs::agent {
namespace {

using ::testing::HasSubstr;
using testing::kNode;
using testing::MachineWith;
using ::testing::Not;
using testing::ReportOf;

TEST(AgentMetrics, ShowEachGpuWithItsHealthAndItsPods) {
  NodeAgents agents({AgentOptions{.node = kNode, .reporter = "me"}});
  agents.Hear(model::Event(model::ViewReached{model::Kind::kPod, {}}));
  agents.Hear(model::Event(model::ViewReached{model::Kind::kMachine, {}}));
  agents.Hear(model::Event(model::PodSeen{testing::RunningPod("a", {1})}));
  model::Machine machine = MachineWith({"GPU-A", "GPU-B"});
  machine.devices[0].health_reason = "broken";
  machine.devices[1].model = "A100";
  agents.Hear(kNode, DevicesRead{0, ReportOf(machine)});
  (void)agents.RunOnce(TimePoint(std::chrono::seconds(1000)));
  const AgentMetrics metrics("1.2.3");
  metrics.Show(agents);
  metrics.CountWrite(model::WriteOutcome::kDone);
  const std::string text = metrics.Print();
  EXPECT_THAT(text, HasSubstr("gpu_agent_gpu_healthy{id=\"0\",model=\"\",node=\"node-a\","
                              "uuid=\"GPU-A\"} 0"));
  EXPECT_THAT(text, HasSubstr("gpu_agent_gpu_healthy{id=\"1\",model=\"A100\",node=\"node-a\","
                              "uuid=\"GPU-B\"} 1"));
  EXPECT_THAT(text, HasSubstr("gpu_agent_gpu_pods{id=\"1\",model=\"A100\",node=\"node-a\","
                              "uuid=\"GPU-B\"} 1"));
  EXPECT_THAT(text, HasSubstr("gpu_agent_gpus{node=\"node-a\"} 2"));
  EXPECT_THAT(text, HasSubstr("gpu_agent_gpus_readable{node=\"node-a\"} 1"));
  EXPECT_THAT(text, HasSubstr("gpu_agent_observed_timestamp_seconds{node=\"node-a\"} 1000"));
  EXPECT_THAT(text, HasSubstr("gpu_agent_writes_total{outcome=\"done\"} 1"));
  EXPECT_THAT(text, HasSubstr("gpu_agent_build_info{version=\"1.2.3\"} 1"));
}

TEST(AgentMetrics, ANodeWithoutGpusShowsNone) {
  NodeAgents agents({AgentOptions{.node = kNode, .reporter = "me"}});
  const AgentMetrics metrics("1.2.3");
  metrics.Show(agents);
  EXPECT_THAT(metrics.Print(), Not(HasSubstr("gpu_agent_gpu_healthy{")));
}

}  // namespace
}  // namespace gs::agent
