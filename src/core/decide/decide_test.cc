#include "core/decide/decide.h"

#include <gtest/gtest.h>

#include "core/decide/named_node.h"
#include "core/model/names.h"
#include "tests/support/machines.h"

namespace gs::decide {
namespace {

namespace names = model::names;
using model::AllocationMode;
using model::ReasonToken;
using std::chrono::seconds;

const TimePoint kNow{std::chrono::hours(1)};

model::Node Node(const std::string& name, std::int64_t gpus, model::Labels labels = {}) {
  model::Node node;
  node.name = NodeName(name);
  node.labels = std::move(labels);
  node.allocatable = {.cpu_milli = 8000, .memory_bytes = 0, .gpus = gpus, .others = {}};
  node.allocatable_pods = 110;
  node.gpu_capacity = gpus;
  return node;
}

model::Pod Pod(const std::string& name) {
  model::Pod pod;
  pod.ref = {Namespace("team"), PodName(name), PodUid("uid-" + name)};
  pod.scheduler = SchedulerName("gpu-scheduler");
  return pod;
}

model::Pod With(std::string_view annotation, const std::string& text, std::int64_t gpus = 0) {
  model::Pod pod = Pod("a");
  pod.annotations.Set(annotation, text);
  pod.requests.gpus = gpus;
  return pod;
}

model::Pod Counted(const std::string& name, std::int64_t gpus) {
  model::Pod pod = Pod(name);
  pod.requests.gpus = gpus;
  return pod;
}

model::Claim Claim(std::int32_t count) {
  model::Claim claim;
  claim.ns = Namespace("team");
  claim.name = ClaimName("pair");
  claim.devices.count = count;
  return claim;
}

class DecideTest : public ::testing::Test {
 protected:
  DecideTest() : cache_({.scheduler = SchedulerName("gpu-scheduler")}) {}

  void See(const model::Event& event) { (void)cache_.Apply(event, kNow); }
  void Assume(const model::Pod& pod, const Placement& placement) {
    See(model::PodSeen{pod});
    cache_.Assume(pod.ref.uid, placement.node, placement.allocation);
  }

  std::variant<Ask, model::Reason> AskFor(const model::Pod& pod) const {
    return AskOf(pod, cache_, {});
  }
  Decision DecideFor(const model::Pod& pod) {
    return Decide(pod, std::get<Ask>(AskFor(pod)), cache_,
                  {.topologies = topologies_,
                   .choices = choices_,
                   .tables = tables_,
                   .wishes = wishes_,
                   .weights = weights_,
                   .rejections = rejections_,
                   .keep = keep_,
                   .storage = cache_.storage()});
  }
  // "n1:0,1", "n1", or the reason.
  std::string Where(const model::Pod& pod) {
    const auto ask = AskFor(pod);
    if (const auto* reason = std::get_if<model::Reason>(&ask)) return ToString(*reason);
    const Decision decision = DecideFor(pod);
    if (const auto* none = std::get_if<NoPlace>(&decision)) return ToString(none->reason);
    const auto& placement = std::get<Placement>(decision);
    return placement.allocation ? ToString(placement.allocation->gpus) : placement.node.text();
  }

  cache::Cache cache_;
  TopologyMemo topologies_;
  ChoiceMemo choices_;
  devices::TableCache tables_;
  devices::TableWishes wishes_;
  score::SizeWeights weights_;
  Rejections rejections_;
  Keep keep_;
};

using AskTest = DecideTest;

TEST_F(AskTest, WithoutAnythingIsNoGpus) { EXPECT_EQ(std::get<Ask>(AskFor(Pod("a"))), Ask{}); }

TEST_F(AskTest, APlainRequestIsAClaimWithDefaults) {
  const Ask ask = std::get<Ask>(AskFor(Counted("a", 3)));
  EXPECT_EQ(ask.wants, filter::Wants::kCounted);
  const auto& gpus = std::get<CountedGpus>(ask.gpus);
  EXPECT_EQ(gpus.request.count, 3);
  EXPECT_TRUE(gpus.claim.empty());
  EXPECT_FALSE(gpus.prefers_one_island);
}

TEST_F(AskTest, AMapGivesTheLineOfThePodsIndex) {
  model::Pod pod = With(names::kMap, "0=n:1\n2=m:3,4");
  pod.labels.Set(names::kPodIndex, "2");
  const Ask ask = std::get<Ask>(AskFor(pod));
  EXPECT_EQ(ask.wants, filter::Wants::kDirect);
  EXPECT_EQ(std::get<NamedGpus>(ask.gpus), (NamedGpus{NodeName("m"), {GpuId(3), GpuId(4)}}));
}

TEST_F(AskTest, OnlyAWrittenPreferenceForMoreThanOnePrefersAnIsland) {
  const auto prefers = [this](const model::Claim& claim) {
    See(model::ClaimSeen{claim});
    const Ask ask = std::get<Ask>(AskFor(With(names::kClaim, "pair")));
    return std::get<CountedGpus>(ask.gpus).prefers_one_island;
  };
  model::Claim claim = Claim(2);
  EXPECT_FALSE(prefers(claim));
  claim.topology = model::TopologyRequest{};
  EXPECT_TRUE(prefers(claim));
  claim.devices.count = 1;
  EXPECT_FALSE(prefers(claim));
  claim.devices.count = 2;
  claim.topology->mode = model::TopologyMode::kRequired;
  EXPECT_FALSE(prefers(claim));
}

TEST_F(AskTest, GpuPodsThatTheWebhookHasNotSeenWaitWhereItIsInstalled) {
  model::Pod pod = With(names::kMap, "0=n:0");
  const auto ask = [&] { return AskOf(pod, cache_, {.needs_variable = true}); };
  EXPECT_EQ(std::get<model::Reason>(ask()).token, ReasonToken::kNotInjected);
  pod.has_visible_devices_variable = true;
  EXPECT_TRUE(std::holds_alternative<Ask>(ask()));
  pod = With(names::kMap, "nonsense");
  EXPECT_EQ(std::get<model::Reason>(ask()).token, ReasonToken::kMapInvalid);
  pod = With(names::kClaim, "not there");
  EXPECT_EQ(std::get<model::Reason>(ask()).token, ReasonToken::kNotInjected);
  pod = model::Pod{};
  EXPECT_TRUE(std::holds_alternative<Ask>(ask())) << "without GPUs there is nothing to tell";
}

TEST_F(AskTest, SaysWhyNobodyCanTell) {
  const auto token = [this](const model::Pod& pod) {
    return std::get<model::Reason>(AskFor(pod)).token;
  };
  EXPECT_EQ(token(With(names::kMap, "nonsense")), ReasonToken::kMapInvalid);
  EXPECT_EQ(token(With(names::kMap, "7=n:0")), ReasonToken::kMapInvalid);
  EXPECT_EQ(token(With(names::kMap, "0=n:0", 2)), ReasonToken::kCountMismatch);
  EXPECT_EQ(token(With(names::kClaim, "pair")), ReasonToken::kClaimMissing);
  model::Pod both = With(names::kMap, "0=n:0");
  both.annotations.Set(names::kClaim, "pair");
  EXPECT_EQ(token(both), ReasonToken::kUnsupported);
  model::Pod unsupported = Pod("a");
  unsupported.rules->unsupported = {"spec.x", "spec.y"};
  EXPECT_NE(std::get<model::Reason>(AskFor(unsupported)).message.find("spec.x, spec.y"),
            std::string::npos);
}

TEST_F(DecideTest, ANameComesBeforeALabelAndOneLabelBeforeTheOther) {
  See(model::NodeSeen{Node("n1", 1, {{"gpu-node", "x"}, {"gpu-node-name", "n2"}})});
  See(model::NodeSeen{Node("n2", 1, {{"gpu-node-name", "x"}})});
  const auto named = [this](const char* word) {
    const auto node = NamedNode(NodeName(word), cache_);
    const auto* name = std::get_if<NodeName>(&node);
    return name != nullptr ? name->text() : ToString(std::get<model::Reason>(node));
  };
  EXPECT_EQ(named("n2"), "n2");
  EXPECT_EQ(named("x"), "n2");
  EXPECT_EQ(named("y").substr(0, 11), "NodeMissing");
  See(model::NodeSeen{Node("n3", 1, {{"gpu-node-name", "x"}})});
  EXPECT_EQ(
      named("x"),
      "NodeAmbiguous: the map says x, and several nodes are labelled gpu-node-name=x: n2, n3");
  See(model::NodeGone{NodeName("n3")});
  EXPECT_EQ(named("x"), "n2");
}

TEST_F(DecideTest, AnUnknownNodeWithPodsOnItIsNoPlace) {
  model::Pod bound = Counted("there", 1);
  bound.node = NodeName("ghost");
  See(model::PodSeen{bound});
  EXPECT_EQ(
      Where(Pod("a")),
      "NodesExcluded: of 1 node none fits: 1 NodesExcluded (ghost: the node is being removed)");
}

TEST_F(DecideTest, AnEmptyClusterSaysSo) {
  EXPECT_EQ(Where(Pod("a")), "NodesExcluded: the cluster has no nodes");
}

TEST_F(DecideTest, TheReasonThatIsNearestToAPlaceLeads) {
  See(model::NodeSeen{Node("cpu", 0)});
  See(model::NodeSeen{Node("gpu", 1)});
  const model::Pod first = Counted("first", 1);
  Assume(first, std::get<Placement>(DecideFor(first)));
  const std::string why = Where(Counted("a", 1));
  EXPECT_EQ(why.substr(0, 34), "TooFewGpus: of 2 nodes none fits: ") << why;
}

TEST_F(DecideTest, TheTighterNodeIsTakenFirst) {
  See(model::NodeSeen{Node("large", 8)});
  See(model::NodeSeen{Node("small", 2)});
  EXPECT_EQ(Where(Counted("a", 2)), "small:0,1");
  EXPECT_EQ(Where(Counted("b", 3)), "large:0,1,2");
}

TEST_F(DecideTest, AClaimAsksForLabelsOfTheNode) {
  See(model::NodeSeen{Node("a", 4)});
  See(model::NodeSeen{Node("b", 4, {{"kind", "h100"}})});
  model::Claim claim = Claim(2);
  claim.match_labels = {{"kind", "h100"}};
  See(model::ClaimSeen{claim});
  EXPECT_EQ(Where(With(names::kClaim, "pair")), "b:0,1");
}

TEST_F(DecideTest, AllocationsSayHowAndWhoseTheyAre) {
  See(model::NodeSeen{Node("n", 0)});
  model::Machine machine = testing::FourPcie().machine();
  for (auto& device : machine.devices) {
    device.uuid = GpuUuid("G" + std::to_string(device.id.number()));
  }
  See(model::MachineSeen{NodeName("n"), machine, {}});
  See(model::ClaimSeen{Claim(2)});
  model::Pod pod = With(names::kClaim, "pair");
  pod.controller = model::Controller{"Job", ControllerUid("job")};
  const auto placement = std::get<Placement>(DecideFor(pod));
  ASSERT_TRUE(placement.allocation);
  EXPECT_EQ(placement.allocation->uuids, (std::vector{GpuUuid("G0"), GpuUuid("G1")}));
  EXPECT_EQ(placement.allocation->claim, ClaimName("pair"));
  EXPECT_EQ(placement.allocation->controller, ControllerUid("job"));
  EXPECT_EQ(placement.allocation->mode, AllocationMode::kExclusive);
  EXPECT_TRUE(placement.allocation->is_enforced);
}

TEST_F(DecideTest, WhatAPluginHandsOutIsOnlyPlanned) {
  See(model::NodeSeen{Node("n", 2)});
  const auto placement = std::get<Placement>(DecideFor(Counted("a", 1)));
  EXPECT_FALSE(placement.allocation->is_enforced);
}

TEST_F(DecideTest, AnotherMachineUnderTheSameNameIsLookedAtAnew) {
  See(model::NodeSeen{Node("n", 0)});
  See(model::MachineSeen{NodeName("n"), testing::FourPcie().machine(), {}});
  See(model::ClaimSeen{Claim(2)});
  EXPECT_EQ(Where(With(names::kClaim, "pair")), "n:0,1");
  See(model::NodeGone{NodeName("n")});
  See(model::MachineGone{NodeName("n")});
  See(model::NodeSeen{Node("n", 0)});
  See(model::MachineSeen{NodeName("n"), testing::MachineBuilder(1).machine(), {}});
  EXPECT_EQ(Where(With(names::kClaim, "pair")).substr(0, 8), "TooLarge");
}

model::Pod Owned(const char* owner) {
  model::Pod pod = Pod("p");
  pod.controller = model::Controller{"ReplicaSet", ControllerUid(owner)};
  return pod;
}

TEST(Rejections, KeepOneControllerFromOneNodeForAWhileThatDoubles) {
  Rejections rejections({.first = seconds(10), .longest = seconds(30)});
  const NodeName node("n");
  TimePoint now = kNow;
  for (const int expected : {10, 20, 30, 30}) {
    rejections.Note(Owned("web"), node, now);
    ASSERT_EQ(rejections.NextWake(), now + seconds(expected));
    EXPECT_EQ(rejections.Refuse(Owned("web"), node)->token, ReasonToken::kBackoff);
    EXPECT_TRUE(rejections.Concern(Owned("web")));
    EXPECT_FALSE(rejections.Refuse(Owned("web"), NodeName("other")));
    EXPECT_FALSE(rejections.Refuse(Owned("db"), node));
    EXPECT_FALSE(rejections.Concern(Owned("db")));
    EXPECT_FALSE(rejections.Tick(now + seconds(expected - 1)));
    now += seconds(expected);
    EXPECT_TRUE(rejections.Tick(now));
    EXPECT_FALSE(rejections.Refuse(Owned("web"), node));
    EXPECT_FALSE(rejections.Concern(Owned("web")));
  }
}

TEST(Rejections, AreForgottenAfterAQuietTime) {
  Rejections rejections({.first = seconds(10), .longest = seconds(30)});
  rejections.Note(Owned("web"), NodeName("n"), kNow);
  rejections.Note(Owned("web"), NodeName("n"), kNow);
  (void)rejections.Tick(kNow + seconds(20));
  EXPECT_EQ(rejections.NextWake(), std::nullopt);
  (void)rejections.Tick(kNow + seconds(50));
  rejections.Note(Owned("web"), NodeName("n"), kNow + seconds(50));
  EXPECT_EQ(rejections.NextWake(), kNow + seconds(60));
}

TEST(Rejections, APodWithoutAControllerHasNoSuccessor) {
  Rejections rejections;
  rejections.Note(Pod("bare"), NodeName("n"), kNow);
  EXPECT_EQ(rejections.NextWake(), std::nullopt);
  EXPECT_FALSE(rejections.Refuse(Pod("bare"), NodeName("n")));
}

}  // namespace
}  // namespace gs::decide
