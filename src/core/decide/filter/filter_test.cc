#include <gtest/gtest.h>

#include "core/decide/filter/handover.h"
#include "core/decide/filter/node_affinity.h"
#include "core/decide/filter/other_releases.h"
#include "core/decide/filter/resources.h"
#include "core/decide/filter/taints.h"

namespace gs::filter {
namespace {

using model::ReasonToken;
using model::Requirement;
using model::SelectorOperator;
using model::Taint;
using model::TaintEffect;
using model::Toleration;
using model::TolerationOperator;

model::Node NodeWith(model::Labels labels) {
  model::Node node;
  node.name = NodeName("n1");
  node.labels = std::move(labels);
  return node;
}

bool Matches(std::vector<Requirement> labels, const model::Node& node,
             std::vector<Requirement> fields = {}) {
  model::PlacementRules rules;
  rules.node_affinity = {{.labels = std::move(labels), .fields = std::move(fields)}};
  return !RefusedByAffinity(rules, node);
}

TEST(NodeAffinity, TheSelectorNeedsEveryLabelWithItsValue) {
  model::PlacementRules rules;
  rules.node_selector = {{"disk", "ssd"}, {"zone", "a"}};
  EXPECT_FALSE(RefusedByAffinity(rules, NodeWith({{"disk", "ssd"}, {"zone", "a"}, {"x", "y"}})));
  const auto reason = RefusedByAffinity(rules, NodeWith({{"disk", "ssd"}, {"zone", "b"}}));
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->token, ReasonToken::kNodesExcluded);
  EXPECT_EQ(reason->message, "its nodeSelector asks for zone=a");
  EXPECT_TRUE(RefusedByAffinity(rules, NodeWith({{"disk", "ssd"}})));
}

TEST(NodeAffinity, EveryOperatorMeansWhatKubernetesMeans) {
  const auto node = NodeWith({{"cores", "16"}, {"zone", "a"}});
  EXPECT_TRUE(Matches({{"zone", SelectorOperator::kIn, {"b", "a"}}}, node));
  EXPECT_FALSE(Matches({{"zone", SelectorOperator::kIn, {"b"}}}, node));
  EXPECT_FALSE(Matches({{"rack", SelectorOperator::kIn, {""}}}, node));
  EXPECT_FALSE(Matches({{"zone", SelectorOperator::kNotIn, {"a"}}}, node));
  EXPECT_TRUE(Matches({{"rack", SelectorOperator::kNotIn, {"a"}}}, node));
  EXPECT_TRUE(Matches({{"zone", SelectorOperator::kExists, {}}}, node));
  EXPECT_FALSE(Matches({{"zone", SelectorOperator::kDoesNotExist, {}}}, node));
  EXPECT_TRUE(Matches({{"cores", SelectorOperator::kGt, {"8"}}}, node));
  EXPECT_FALSE(Matches({{"cores", SelectorOperator::kGt, {"16"}}}, node));
  EXPECT_TRUE(Matches({{"cores", SelectorOperator::kLt, {"17"}}}, node));
  EXPECT_FALSE(Matches({{"zone", SelectorOperator::kLt, {"17"}}}, node));
  EXPECT_FALSE(Matches({{"rack", SelectorOperator::kGt, {"0"}}}, node));
}

TEST(NodeAffinity, ATermNeedsAllOfItAndAnEmptyOneMatchesNothing) {
  const auto node = NodeWith({{"zone", "a"}});
  EXPECT_FALSE(Matches({}, node));
  EXPECT_FALSE(Matches(
      {{"zone", SelectorOperator::kExists, {}}, {"x", SelectorOperator::kExists, {}}}, node));
  EXPECT_TRUE(Matches({}, node, {{"metadata.name", SelectorOperator::kIn, {"n1"}}}));
  EXPECT_FALSE(Matches({}, node, {{"metadata.name", SelectorOperator::kNotIn, {"n1"}}}));
  EXPECT_FALSE(Matches({}, node, {{"spec.other", SelectorOperator::kIn, {"n1"}}}));
}

TEST(NodeAffinity, OneOfSeveralTermsIsEnough) {
  model::PlacementRules rules;
  rules.node_affinity = {{.labels = {{"zone", SelectorOperator::kIn, {"b"}}}, .fields = {}},
                         {.labels = {{"zone", SelectorOperator::kIn, {"a"}}}, .fields = {}}};
  EXPECT_FALSE(RefusedByAffinity(rules, NodeWith({{"zone", "a"}})));
  const auto reason = RefusedByAffinity(rules, NodeWith({{"zone", "c"}}));
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->message, "its node affinity asks for zone In (b) or another term");
}

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  model::Node node;
  node.taints = {taint};
  model::PlacementRules rules;
  rules.tolerations = {toleration};
  return !RefusedByTaint(rules, node);
}

TEST(Taints, AreToleratedByKeyValueAndEffect) {
  const Taint taint{"gpu", "true", TaintEffect::kNoSchedule};
  EXPECT_TRUE(Tolerates({"gpu", "true", TolerationOperator::kEqual, {}}, taint));
  EXPECT_TRUE(
      Tolerates({"gpu", "true", TolerationOperator::kEqual, TaintEffect::kNoSchedule}, taint));
  EXPECT_FALSE(
      Tolerates({"gpu", "true", TolerationOperator::kEqual, TaintEffect::kNoExecute}, taint));
  EXPECT_FALSE(Tolerates({"gpu", "false", TolerationOperator::kEqual, {}}, taint));
  EXPECT_TRUE(Tolerates({"gpu", "", TolerationOperator::kExists, {}}, taint));
  EXPECT_FALSE(Tolerates({"cpu", "", TolerationOperator::kExists, {}}, taint));
  EXPECT_TRUE(Tolerates({"", "", TolerationOperator::kExists, {}}, taint));
}

TEST(Taints, AWishKeepsNobodyAwayAndNoExecuteDoes) {
  model::Node node;
  node.taints = {{"a", "", TaintEffect::kPreferNoSchedule}};
  EXPECT_FALSE(RefusedByTaint({}, node));
  node.taints = {{"a", "", TaintEffect::kNoExecute}};
  const auto reason = RefusedByTaint({}, node);
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->token, ReasonToken::kNodesExcluded);
}

TEST(Taints, ACordonedNodeIsTaintedAsInKubernetes) {
  model::Node node;
  node.is_unschedulable = true;
  ASSERT_TRUE(RefusedByTaint({}, node));
  EXPECT_EQ(RefusedByTaint({}, node)->message, "the node is cordoned");
  model::PlacementRules daemon;
  daemon.tolerations = {
      {"node.kubernetes.io/unschedulable", "", TolerationOperator::kExists, std::nullopt}};
  EXPECT_FALSE(RefusedByTaint(daemon, node));
}

cache::NodeView RoomyNode() {
  cache::NodeView view;
  view.node.allocatable = {
      .cpu_milli = 1000, .memory_bytes = 1000, .gpus = 2, .others = {{"x", 1}}};
  view.node.allocatable_pods = 2;
  return view;
}

model::Pod Asking(model::Resources requests) {
  model::Pod pod;
  pod.requests = std::move(requests);
  return pod;
}

TEST(Room, ExactlyWhatIsLeftFitsAndOneMoreDoesNot) {
  cache::NodeView view = RoomyNode();
  view.used = {.cpu_milli = 400, .memory_bytes = 400, .gpus = 1, .others = {}};
  const model::Resources left{
      .cpu_milli = 600, .memory_bytes = 600, .gpus = 1, .others = {{"x", 1}}};
  EXPECT_FALSE(RefusedByRoom(Asking(left), view));
  model::Resources more = left;
  ++more.cpu_milli;
  EXPECT_EQ(RefusedByRoom(Asking(more), view)->token, ReasonToken::kTooFewResources);
  more = left;
  ++more.memory_bytes;
  EXPECT_EQ(RefusedByRoom(Asking(more), view)->token, ReasonToken::kTooFewResources);
  more = left;
  ++more.gpus;
  EXPECT_EQ(RefusedByRoom(Asking(more), view)->token, ReasonToken::kTooFewGpus);
  more.gpus = 3;
  EXPECT_EQ(RefusedByRoom(Asking(more), view)->token, ReasonToken::kTooLarge);
  more = left;
  more.others["y"] = 1;
  EXPECT_EQ(RefusedByRoom(Asking(more), view)->message, "too little y: asks for 1, 0 of 0 free");
}

TEST(Room, WhatIsNotAskedForCannotBeShort) {
  cache::NodeView view = RoomyNode();
  view.used.cpu_milli = 2000;  // somebody has bound pods past the node's limit
  EXPECT_FALSE(RefusedByRoom(Asking({}), view));
}

TEST(Room, ANodeHoldsOnlySoManyPods) {
  cache::NodeView view = RoomyNode();
  view.pods_used = 2;
  EXPECT_EQ(RefusedByRoom(Asking({}), view)->message, "no room for another pod: 2 of 2 are there");
}

TEST(Handover, ADevicePluginDoesNotKnowWhatIsLeftOfAPod) {
  cache::NodeView view;
  view.releasing_pods = {{Namespace("team"), PodName("a"), PodUid("u")}};
  EXPECT_FALSE(RefusedByHandover(Wants::kNoGpus, view));
  EXPECT_FALSE(RefusedByHandover(Wants::kDirect, view)) << "its ids are known";
  const auto reason = RefusedByHandover(Wants::kCounted, view);
  ASSERT_TRUE(reason.has_value());
  EXPECT_EQ(reason->token, ReasonToken::kGpuReleasing);
}

TEST(Handover, TheTwoWaysNeverMeetAndPodsWithoutGpusMeetBoth) {
  const model::PodRef holder{Namespace("team"), PodName("a"), PodUid("u")};
  cache::NodeView counted;
  counted.counted_pods = {holder};
  cache::NodeView direct;
  direct.direct_pods = {holder};
  EXPECT_FALSE(RefusedByHandover(Wants::kCounted, counted));
  EXPECT_FALSE(RefusedByHandover(Wants::kDirect, direct));
  for (const auto* view : {&counted, &direct}) {
    EXPECT_FALSE(RefusedByHandover(Wants::kNoGpus, *view));
  }
  for (const auto& reason :
       {RefusedByHandover(Wants::kDirect, counted), RefusedByHandover(Wants::kCounted, direct)}) {
    ASSERT_TRUE(reason);
    EXPECT_EQ(reason->token, ReasonToken::kHandoverConflict);
    EXPECT_NE(reason->message.find("team/a"), std::string::npos);
  }
}

TEST(OtherReleases, WhatADevicePluginChoosesForKeepsTheWholeNode) {
  cache::NodeView direct;
  direct.others_pods = {
      {.pod = {Namespace("team"), PodName("x"), PodUid("u")}, .scheduler = SchedulerName("other")}};
  cache::NodeView counted = direct;
  counted.others_pods[0].is_counted = true;
  EXPECT_FALSE(RefusedByOthers(Wants::kDirect, direct)) << "its ids are known";
  EXPECT_FALSE(RefusedByOthers(Wants::kNoGpus, counted));
  for (const auto& reason :
       {RefusedByOthers(Wants::kCounted, direct), RefusedByOthers(Wants::kCounted, counted),
        RefusedByOthers(Wants::kDirect, counted)}) {
    ASSERT_TRUE(reason);
    EXPECT_EQ(reason->token, ReasonToken::kGpuHeld);
    EXPECT_NE(reason->message.find("release other is binding team/x"), std::string::npos);
  }
}

}  // namespace
}  // namespace gs::filter
