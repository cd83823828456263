// Pod affinity and topology spread: what other pods have to say about where a pod may go.
#include <gtest/gtest.h>

#include <string>

#include "core/cache/cache.h"
#include "core/decide/filter/host_ports.h"
#include "core/decide/filter/pod_affinity.h"
#include "core/decide/filter/topology_spread.h"

namespace gs::filter {
namespace {

using model::SelectorOperator;

const TimePoint kNow{std::chrono::hours(1)};

model::LabelSelector App(const std::string& app) {
  return {{{"app", SelectorOperator::kIn, {app}}}};
}

model::PodAffinityTerm Per(const std::string& key, model::LabelSelector selector) {
  model::PodAffinityTerm term;
  term.selector = std::move(selector);
  term.namespaces = {Namespace("team")};
  term.topology_key = key;
  return term;
}

model::Pod Pod(const std::string& name, model::Labels labels, const std::string& ns = "team") {
  model::Pod pod;
  pod.ref = {Namespace(ns), PodName(name), PodUid("uid-" + name)};
  pod.scheduler = SchedulerName("gpu-scheduler");
  pod.labels = std::move(labels);
  return pod;
}

// Nodes a1 and a2 in zone a, b1 in zone b, and "nowhere" in none.
class CompanyTest : public ::testing::Test {
 protected:
  CompanyTest() {
    Node("a1", {{"zone", "a"}, {"host", "a1"}});
    Node("a2", {{"zone", "a"}, {"host", "a2"}});
    Node("b1", {{"zone", "b"}, {"host", "b1"}});
    Node("nowhere", {{"host", "nowhere"}});
  }

  void See(const model::Event& event) { (void)cache_.Apply(event, kNow); }
  void Node(const std::string& name, model::Labels labels, std::vector<model::Taint> taints = {}) {
    model::Node node;
    node.name = NodeName(name);
    node.labels = std::move(labels);
    node.taints = std::move(taints);
    See(model::NodeSeen{node});
  }
  void On(const std::string& node, model::Pod pod) {
    pod.node = NodeName(node);
    See(model::PodSeen{pod});
  }

  // The nodes that are left, "a1 a2".
  template <class Rule>
  std::string Left(const model::Pod& pod) {
    See(model::PodSeen{pod});
    const Rule rule(pod, cache_);
    std::string left;
    for (const auto& [name, view] : cache_.nodes()) {
      if (!rule.Refuse(view.node)) left += (left.empty() ? "" : " ") + name.text();
    }
    return left;
  }
  std::string Near(const model::Pod& pod) { return Left<PodAffinity>(pod); }
  std::string Spread(const model::Pod& pod) { return Left<TopologySpread>(pod); }

  cache::Cache cache_{{.scheduler = SchedulerName("gpu-scheduler")}};
};

using PodAffinityTest = CompanyTest;
using SpreadTest = CompanyTest;

TEST_F(PodAffinityTest, GoesWhereSuchPodsAre) {
  model::Pod pod = Pod("p", {});
  pod.rules->pod_affinity = {Per("zone", App("web"))};
  EXPECT_EQ(Near(pod), "");
  On("a1", Pod("web", {{"app", "web"}}));
  On("b1", Pod("stranger", {{"app", "web"}}, "elsewhere"));
  EXPECT_EQ(Near(pod), "a1 a2");
  pod.rules->pod_affinity.push_back(Per("host", App("web")));
  EXPECT_EQ(Near(pod), "a1");
}

TEST_F(PodAffinityTest, OnePodMustMatchAllTerms) {
  On("a1", Pod("web", {{"app", "web"}}));
  On("a1", Pod("gold", {{"tier", "gold"}}));
  model::Pod pod = Pod("p", {});
  pod.rules->pod_affinity = {Per("zone", App("web")),
                             Per("zone", {{{"tier", SelectorOperator::kExists, {}}}})};
  EXPECT_EQ(Near(pod), "");
  On("b1", Pod("both", {{"app", "web"}, {"tier", "gold"}}));
  EXPECT_EQ(Near(pod), "b1");
}

TEST_F(PodAffinityTest, TheFirstOfAGroupMayGoWhereTheLabelIsAndTheSecondFollows) {
  model::Pod pod = Pod("p", {{"app", "web"}});
  pod.rules->pod_affinity = {Per("zone", App("web"))};
  EXPECT_EQ(Near(pod), "a1 a2 b1");
  On("nowhere", Pod("outside", {{"app", "web"}}));
  EXPECT_EQ(Near(pod), "a1 a2 b1");
  On("b1", Pod("first", {{"app", "web"}}));
  EXPECT_EQ(Near(pod), "b1");
}

TEST_F(PodAffinityTest, KeepsAwayAlsoFromThoseThatArePlannedOrEndingButNotFromThoseThatHaveEnded) {
  model::Pod pod = Pod("p", {});
  pod.ties->anti_affinity = {Per("zone", App("web"))};
  EXPECT_EQ(Near(pod), "a1 a2 b1 nowhere");
  model::Pod web = Pod("web", {{"app", "web"}});
  See(model::PodSeen{web});
  cache_.Assume(web.ref.uid, NodeName("a1"), std::nullopt);
  EXPECT_EQ(Near(pod), "b1 nowhere");
  web.is_terminating = true;
  On("a1", web);
  EXPECT_EQ(Near(pod), "b1 nowhere");
  web.phase = model::PodPhase::kSucceeded;
  On("a1", web);
  EXPECT_EQ(Near(pod), "a1 a2 b1 nowhere");
}

TEST_F(PodAffinityTest, OthersKeepItAway) {
  model::Pod jealous = Pod("jealous", {});
  jealous.ties->anti_affinity = {Per("zone", App("web"))};
  On("b1", jealous);
  EXPECT_EQ(Near(Pod("p", {{"app", "web"}})), "a1 a2 nowhere");
  EXPECT_EQ(Near(Pod("q", {{"app", "db"}})), "a1 a2 b1 nowhere");
  See(model::PodGone{jealous.ref});
  EXPECT_EQ(Near(Pod("p", {{"app", "web"}})), "a1 a2 b1 nowhere");
}

TEST_F(PodAffinityTest, NamespacesAreChosenByTheirLabels) {
  model::PodAffinityTerm term = Per("zone", App("web"));
  term.namespaces.clear();
  term.namespace_selector = {{{"tier", SelectorOperator::kIn, {"gold"}}}};
  model::Pod pod = Pod("p", {});
  pod.ties->anti_affinity = {term};
  On("a1", Pod("web", {{"app", "web"}}, "other"));
  EXPECT_EQ(Near(pod), "a1 a2 b1 nowhere");
  See(model::NamespaceSeen{Namespace("other"), {{"tier", "gold"}}});
  EXPECT_EQ(Near(pod), "b1 nowhere");
  See(model::NamespaceGone{Namespace("other")});
  EXPECT_EQ(Near(pod), "a1 a2 b1 nowhere");
}

model::Pod Spreading(const std::string& name, std::int32_t max_skew = 1) {
  model::Pod pod = Pod(name, {{"app", "web"}});
  pod.rules->spread = {{.topology_key = "zone", .max_skew = max_skew, .selector = App("web")}};
  return pod;
}

TEST_F(SpreadTest, NoPartGetsFurtherAheadThanTheSkew) {
  EXPECT_EQ(Spread(Spreading("p")), "a1 a2 b1");
  On("a1", Pod("one", {{"app", "web"}}));
  EXPECT_EQ(Spread(Spreading("p")), "b1");
  EXPECT_EQ(Spread(Spreading("p", 2)), "a1 a2 b1");
  On("b1", Pod("two", {{"app", "web"}}));
  EXPECT_EQ(Spread(Spreading("p")), "a1 a2 b1");
}

TEST_F(SpreadTest, ThoseThatAreAskedToGoOrOfOtherNamespacesDoNotCount) {
  model::Pod leaving = Pod("one", {{"app", "web"}});
  leaving.is_terminating = true;
  On("a1", leaving);
  On("a2", Pod("stranger", {{"app", "web"}}, "other"));
  EXPECT_EQ(Spread(Spreading("p")), "a1 a2 b1");
}

TEST_F(SpreadTest, WithFewerPartsThanAskedForTheEmptiestIsStillToCome) {
  On("a1", Pod("one", {{"app", "web"}}));
  On("b1", Pod("two", {{"app", "web"}}));
  model::Pod pod = Spreading("p");
  pod.rules->spread[0].min_domains = 3;
  EXPECT_EQ(Spread(pod), "");
  Node("c1", {{"zone", "c"}});
  EXPECT_EQ(Spread(pod), "c1");
}

TEST_F(SpreadTest, NodesThatThePodMayNotUseCountOnlyIfAskedFor) {
  On("a1", Pod("one", {{"app", "web"}}));
  model::Pod pod = Spreading("p");
  pod.rules->node_selector = {{"zone", "a"}};
  EXPECT_EQ(Spread(pod), "a1 a2 b1");  // zone b is not the pod's to use, so nothing is emptier
  pod.rules->spread[0].honours_affinity = false;
  EXPECT_EQ(Spread(pod), "b1");
}

TEST_F(SpreadTest, NodesThatKeepThePodAwayCountUnlessAskedFor) {
  On("a1", Pod("one", {{"app", "web"}}));
  Node("b1", {{"zone", "b"}}, {{"x", "", model::TaintEffect::kNoSchedule}});
  model::Pod pod = Spreading("p");
  EXPECT_EQ(Spread(pod), "b1");
  pod.rules->spread[0].honours_taints = true;
  EXPECT_EQ(Spread(pod), "a1 a2 b1");
}

TEST_F(SpreadTest, ASelectorThatAsksForNothingCountsOnlyThePodItself) {
  On("a1", Pod("one", {{"app", "web"}}));
  model::Pod pod = Spreading("p");
  pod.rules->spread[0].selector = model::LabelSelector{};
  EXPECT_EQ(Spread(pod), "a1 a2 b1");
  pod.rules->spread[0].max_skew = 0;
  EXPECT_EQ(Spread(pod), "");
}

TEST_F(SpreadTest, EveryConstraintMustHoldAndNodesWithoutALabelDoNotCount) {
  On("nowhere", Pod("one", {{"app", "web"}}));
  On("a1", Pod("two", {{"app", "web"}}));
  On("b1", Pod("three", {{"app", "web"}}));
  model::Pod pod = Spreading("p");
  pod.rules->spread.push_back({.topology_key = "host", .max_skew = 1, .selector = App("web")});
  EXPECT_EQ(Spread(pod), "a2");
}

TEST(HostPorts, AreTakenOnceForEveryAddress) {
  const auto is_free = [](const model::HostPort& taken, const model::HostPort& wanted) {
    cache::NodeView view;
    view.host_ports[taken] = 1;
    model::Pod pod;
    pod.ties->host_ports = {wanted};
    return !RefusedByPorts(pod, view);
  };
  EXPECT_FALSE(is_free({.port = 80}, {.port = 80}));
  EXPECT_FALSE(is_free({.port = 80}, {.ip = "10.0.0.1", .port = 80}));
  EXPECT_FALSE(is_free({.ip = "10.0.0.1", .port = 80}, {.port = 80}));
  EXPECT_TRUE(is_free({.ip = "10.0.0.1", .port = 80}, {.ip = "10.0.0.2", .port = 80}));
  EXPECT_TRUE(is_free({.port = 80}, {.protocol = "UDP", .port = 80}));
  EXPECT_TRUE(is_free({.port = 80}, {.port = 81}));
}

}  // namespace
}  // namespace gs::filter
