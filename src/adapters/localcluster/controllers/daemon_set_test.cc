#include "adapters/localcluster/controllers/daemon_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "adapters/localcluster/controllers/model_cluster.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"

namespace gs::localcluster {
namespace {

constexpr std::string_view kAgent = R"(
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {nodeSelector: {gpu: "true"}, containers: [{name: main, image: "agent:1"}]}
)";

void AddNode(ModelCluster& cluster, std::string_view name, std::string_view rest) {
  (void)cluster.Add("{apiVersion: v1, kind: Node, metadata: {name: " + std::string(name) +
                    ", labels: {gpu: \"true\"}}" + std::string(rest) + "}");
}

std::vector<std::string> Nodes(const ModelCluster& cluster) {
  std::vector<std::string> nodes;
  for (const Json& pod : cluster.All("Pod")) nodes.emplace_back(Text(pod, {"spec", "nodeName"}));
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

TEST(DaemonSet, RunsOnEveryNodeThatFits) {
  ModelCluster cluster;
  AddNode(cluster, "n1", "");
  AddNode(cluster, "n2", "");
  AddNode(cluster, "tainted", ", spec: {taints: [{key: k, effect: NoSchedule}]}");
  AddNode(cluster, "cordoned", ", spec: {unschedulable: true}");
  (void)cluster.Add("{apiVersion: v1, kind: Node, metadata: {name: other}}");
  (void)cluster.Add(kAgent);
  cluster.SettleAndRun();
  EXPECT_EQ(Nodes(cluster), (std::vector<std::string>{"cordoned", "n1", "n2"}));
  const Json set = cluster.Get("DaemonSet", "agent");
  EXPECT_EQ(Int(set, {"status", "desiredNumberScheduled"}), 3);
  EXPECT_EQ(Int(set, {"status", "numberReady"}), 3);
  EXPECT_EQ(Int(set, {"status", "numberAvailable"}), 3);
}

TEST(DaemonSet, FollowsNodesThatComeAndChange) {
  ModelCluster cluster;
  AddNode(cluster, "n1", "");
  (void)cluster.Add(kAgent);
  cluster.SettleAndRun();
  AddNode(cluster, "n2", "");
  cluster.SettleAndRun();
  EXPECT_EQ(Nodes(cluster), (std::vector<std::string>{"n1", "n2"}));
  Json node = cluster.Get("Node", "n1");
  Make(node, {"metadata", "labels"})["gpu"] = "false";
  cluster.Change(node);
  cluster.SettleAndRun();
  EXPECT_EQ(Nodes(cluster), (std::vector<std::string>{"n2"}));
}

TEST(DaemonSet, UpdatesOneNodeAfterTheOther) {
  ModelCluster cluster;
  AddNode(cluster, "n1", "");
  AddNode(cluster, "n2", "");
  AddNode(cluster, "n3", "");
  (void)cluster.Add(kAgent);
  cluster.SettleAndRun();
  Json set = cluster.Get("DaemonSet", "agent");
  set.at("spec").at("template").at("spec").at("containers").at(0).as_object()["image"] = "agent:2";
  cluster.Change(set);
  cluster.Settle();
  int leaving = 0;
  for (const Json& pod : cluster.All("Pod")) leaving += IsBeingDeleted(pod) ? 1 : 0;
  EXPECT_EQ(leaving, 1);
  cluster.SettleAndRun();
  for (const Json& pod : cluster.All("Pod")) {
    EXPECT_EQ(Text(pod.at("spec").at("containers").at(0), {"image"}), "agent:2");
  }
  EXPECT_EQ(Int(cluster.Get("DaemonSet", "agent"), {"status", "updatedNumberScheduled"}), 3);
}

TEST(DaemonSet, AFailedPodIsReplaced) {
  ModelCluster cluster;
  AddNode(cluster, "n1", "");
  (void)cluster.Add(kAgent);
  cluster.SettleAndRun();
  cluster.SetPhase(NameOf(cluster.All("Pod")[0]), "Failed");
  cluster.SettleAndRun();
  ASSERT_EQ(cluster.All("Pod").size(), 1U);
  EXPECT_EQ(PhaseOf(cluster.All("Pod")[0]), "Running");
}

}  // namespace
}  // namespace gs::localcluster
