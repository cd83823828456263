#include "core/decide/choice_memo.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/decide/devices/choose.h"
#include "core/decide/node_gpu_state.h"
#include "tests/support/machines.h"

namespace gs::decide {
namespace {

using devices::Availability;
using devices::GpuSet;
using devices::Topology;

std::shared_ptr<const Topology> Of(const testing::MachineBuilder& machine) {
  return std::make_shared<const Topology>(machine.topology());
}

devices::Request Asking(std::int32_t count, model::TopologyMode mode) {
  devices::Request request;
  request.count = count;
  request.mode = mode;
  request.min_bandwidth_gbps = 600;
  return request;
}

cache::NodeView NodeWith(const std::string& name, const testing::MachineBuilder& machine) {
  cache::NodeView view;
  view.node.name = NodeName(name);
  view.node.machine = machine.machine();
  view.machine_generation = 1;
  return view;
}

TEST(ChoiceMemo, AnswersAsTheChooserWheneverItIsAsked) {
  const std::vector machines = {Of(testing::HgxA100()), Of(testing::TwoSockets())};
  const devices::TableCache tables;
  ChoiceMemo memo;
  for (int round = 0; round < 2; ++round) {
    for (const auto& topology : machines) {
      for (const auto mode : {model::TopologyMode::kPreferred, model::TopologyMode::kRequired}) {
        for (std::uint64_t unused = 0; unused < 256; unused += 5) {
          for (const std::uint64_t unhealthy : {0U, 0b1000U}) {
            const Availability availability{
                .unused = GpuSet(unused), .sharers = {}, .unhealthy = GpuSet(unhealthy)};
            const devices::Request request = Asking(2, mode);
            const auto& answer = memo.Choose(topology, availability, request, tables);
            ASSERT_EQ(answer.outcome, devices::Choose(*topology, availability, request));
            const auto* miss = std::get_if<devices::Miss>(&answer.outcome);
            ASSERT_EQ(answer.why_not.message, miss == nullptr ? "" : ToString(*miss));
          }
        }
      }
    }
  }
}

TEST(ChoiceMemo, AnswersMoreRequestsThanItKeeps) {
  const auto topology = Of(testing::TwoSockets());
  const devices::TableCache tables;
  ChoiceMemo memo;
  for (int round = 0; round < 2; ++round) {
    for (std::int32_t bandwidth = 0; bandwidth < 40; ++bandwidth) {
      devices::Request request = Asking(3, model::TopologyMode::kRequired);
      request.min_bandwidth_gbps = bandwidth;
      const auto all = Availability::AllFree(topology->size());
      ASSERT_EQ(memo.Choose(topology, all, request, tables).outcome,
                devices::Choose(*topology, all, request));
    }
  }
}

TEST(ChoiceMemo, WhoSharesSeesHowManyDo) {
  const auto topology = Of(testing::HgxA100());
  const devices::TableCache tables;
  devices::Request request = Asking(1, model::TopologyMode::kIgnore);
  request.exclusivity = model::Exclusivity::kShared;
  ChoiceMemo memo;
  Availability availability = Availability::AllFree(topology->size());
  for (const std::size_t taken : {2U, 5U}) {
    availability.unused.Remove(taken);
    availability.sharers[taken] = static_cast<std::int32_t>(taken) - 1;
    EXPECT_EQ(memo.Choose(topology, availability, request, tables).outcome,
              devices::Choose(*topology, availability, request));
  }
}

TEST(TopologyMemo, NodesThatAreWiredAlikeShareOne) {
  TopologyMemo memo;
  const auto a = memo.Of(NodeWith("a", testing::HgxA100()));
  const auto b = memo.Of(NodeWith("b", testing::HgxA100()));
  const auto c = memo.Of(NodeWith("c", testing::TwoSockets()));
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
}

TEST(TopologyMemo, AMachineThatHasChangedIsReadAgain) {
  TopologyMemo memo;
  auto view = NodeWith("a", testing::HgxA100());
  const auto before = memo.Of(view);
  view.node.machine = testing::TwoSockets().machine();
  view.machine_generation = 2;
  const auto after = memo.Of(view);
  EXPECT_EQ(*before, testing::HgxA100().topology());
  EXPECT_EQ(*after, testing::TwoSockets().topology());
}

}  // namespace
}  // namespace gs::decide
