#include "adapters/localcluster/controllers/deployment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/object.hpp>

#include "adapters/localcluster/controllers/model_cluster.h"
#include "adapters/localcluster/controllers/rollout.h"
#include "adapters/localcluster/objects/conditions.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"

namespace gs::localcluster {
namespace {

constexpr std::string_view kWeb = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {team: a}}
spec:
  replicas: 4
  revisionHistoryLimit: 2
  progressDeadlineSeconds: 600
  selector: {matchLabels: {app: web}}
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: web:1}]}
)";

void UseImage(ModelCluster& cluster, std::string_view image) {
  Json web = cluster.Get("Deployment", "web");
  web.at("spec").at("template").at("spec").at("containers").at(0).as_object()["image"] = image;
  cluster.Change(web);
}

void ScaleTo(ModelCluster& cluster, int replicas) {
  Json web = cluster.Get("Deployment", "web");
  Make(web, {"spec"})["replicas"] = replicas;
  cluster.Change(web);
}

std::string_view ReasonOf(const Json& deployment, std::string_view condition) {
  const Json* found = FindCondition(deployment.at("status"), condition);
  return found == nullptr ? "" : Text(*found, {"reason"});
}

std::size_t CountWhere(const std::vector<Json>& pods, bool (*is)(const Json&)) {
  return static_cast<std::size_t>(std::count_if(pods.begin(), pods.end(), is));
}

TEST(Deployment, MakesAReplicaSetAndReportsWhatBecomesOfIt) {
  ModelCluster cluster;
  (void)cluster.Add(kWeb);
  cluster.Settle();
  ASSERT_EQ(cluster.All("ReplicaSet").size(), 1U);
  const Json set = cluster.All("ReplicaSet")[0];
  const auto hash = LabelOf(set, "pod-template-hash");
  EXPECT_FALSE(hash.empty());
  EXPECT_EQ(NameOf(set), "web-" + std::string(hash));
  EXPECT_EQ(Text(set, {"spec", "selector", "matchLabels", "pod-template-hash"}), hash);
  EXPECT_EQ(AnnotationOf(set, "deployment.kubernetes.io/revision"), "1");
  EXPECT_EQ(AnnotationOf(set, "team"), "a");
  EXPECT_EQ(ReasonOf(cluster.Get("Deployment", "web"), "Available"), "MinimumReplicasUnavailable");

  cluster.SettleAndRun();
  const Json web = cluster.Get("Deployment", "web");
  EXPECT_EQ(AnnotationOf(web, "deployment.kubernetes.io/revision"), "1");
  EXPECT_EQ(Int(web, {"status", "availableReplicas"}), 4);
  EXPECT_EQ(Int(web, {"status", "updatedReplicas"}), 4);
  EXPECT_EQ(ReasonOf(web, "Available"), "MinimumReplicasAvailable");
  EXPECT_EQ(ReasonOf(web, "Progressing"), "NewReplicaSetAvailable");
}

TEST(Deployment, ARolloutKeepsWithinItsLimitsAllTheWay) {
  ModelCluster cluster;
  (void)cluster.Add(kWeb);
  cluster.SettleAndRun();
  UseImage(cluster, "web:2");
  for (int i = 0; i < 40; ++i) {
    cluster.Step();
    const auto pods = cluster.All("Pod");
    EXPECT_LE(CountWhere(pods, IsActive), 5U);
    EXPECT_GE(CountWhere(pods, [](const Json& pod) { return IsActive(pod) && IsReady(pod); }), 3U);
    if (i % 3 == 0) cluster.RunPods();
  }
  cluster.SettleAndRun();
  for (const Json& pod : cluster.All("Pod")) {
    EXPECT_EQ(Text(pod.at("spec").at("containers").at(0), {"image"}), "web:2");
  }
  EXPECT_EQ(AnnotationOf(cluster.Get("Deployment", "web"), "deployment.kubernetes.io/revision"),
            "2");
}

TEST(Deployment, GoingBackUsesTheOldSetAgainUnderANewRevision) {
  ModelCluster cluster;
  (void)cluster.Add(kWeb);
  cluster.SettleAndRun();
  const std::string first(NameOf(cluster.All("ReplicaSet")[0]));
  UseImage(cluster, "web:2");
  cluster.SettleAndRun();
  UseImage(cluster, "web:1");
  cluster.SettleAndRun();
  const Json set = cluster.Get("ReplicaSet", first);
  EXPECT_EQ(cluster.All("ReplicaSet").size(), 2U);
  EXPECT_EQ(Int(set, {"status", "availableReplicas"}), 4);
  EXPECT_EQ(AnnotationOf(set, "deployment.kubernetes.io/revision"), "3");
  EXPECT_EQ(AnnotationOf(set, "deployment.kubernetes.io/revision-history"), "1");
}

TEST(Deployment, KeepsAsMuchHistoryAsAskedFor) {
  ModelCluster cluster;
  (void)cluster.Add(kWeb);
  for (int version = 1; version < 7; ++version) {
    UseImage(cluster, "web:" + std::to_string(version));
    cluster.SettleAndRun();
  }
  EXPECT_EQ(cluster.All("ReplicaSet").size(), 3U);  // the newest, and two to go back to
}

TEST(Deployment, RecreateStartsNothingBeforeTheLastOldPodIsGone) {
  ModelCluster cluster;
  Json web = cluster.Add(kWeb);
  Make(web, {"spec"})["strategy"] = {{"type", "Recreate"}};
  cluster.Change(web);
  cluster.SettleAndRun();
  UseImage(cluster, "web:2");
  cluster.Settle();
  for (const Json& pod : cluster.All("Pod")) EXPECT_TRUE(IsBeingDeleted(pod));
  EXPECT_EQ(cluster.All("Pod").size(), 4U);
  cluster.SettleAndRun();
  EXPECT_EQ(cluster.All("Pod").size(), 4U);
  EXPECT_EQ(Int(cluster.Get("Deployment", "web"), {"status", "updatedReplicas"}), 4);
}

TEST(Deployment, ScalesUpAndDownToNothing) {
  ModelCluster cluster;
  (void)cluster.Add(kWeb);
  cluster.SettleAndRun();
  ScaleTo(cluster, 9);
  cluster.SettleAndRun();
  EXPECT_EQ(cluster.All("Pod").size(), 9U);
  ScaleTo(cluster, 0);
  cluster.SettleAndRun();
  EXPECT_EQ(cluster.All("Pod").size(), 0U);
  EXPECT_EQ(Int(cluster.Get("Deployment", "web"), {"status", "observedGeneration"}), 3);
}

TEST(Deployment, APausedOneScalesButDoesNotRoll) {
  ModelCluster cluster;
  Json web = cluster.Add(kWeb);
  cluster.SettleAndRun();
  web = cluster.Get("Deployment", "web");
  Make(web, {"spec"})["paused"] = true;
  cluster.Change(web);
  UseImage(cluster, "web:2");
  ScaleTo(cluster, 6);
  cluster.SettleAndRun();
  EXPECT_EQ(cluster.All("ReplicaSet").size(), 1U);
  EXPECT_EQ(cluster.All("Pod").size(), 6U);
}

TEST(Deployment, OneThatIsStuckSaysSoAfterItsDeadline) {
  ModelCluster cluster;
  (void)cluster.Add(kWeb);
  cluster.Settle();
  ASSERT_TRUE(cluster.look_again().has_value());
  cluster.Pass(*cluster.look_again() - cluster.now());
  cluster.Settle();
  const Json web = cluster.Get("Deployment", "web");
  EXPECT_EQ(ReasonOf(web, "Progressing"), "ProgressDeadlineExceeded");
  EXPECT_FALSE(cluster.look_again().has_value());
}

TEST(Rollout, DeadPodsOfOldSetsGoFirst) {
  const RolloutLimits limits{.replicas = 10, .max_surge = 3, .max_unavailable = 2};
  const auto sizes = OldSetSizes(limits, {.wanted = 3, .available = 3},
                                 {{.wanted = 5, .available = 0}, {.wanted = 5, .available = 5}});
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{0, 5}));
}

TEST(Rollout, ANewVersionThatFailsCostsNoOldPod) {
  const RolloutLimits limits{.replicas = 10, .max_surge = 3, .max_unavailable = 2};
  const auto sizes =
      OldSetSizes(limits, {.wanted = 5, .available = 0}, {{.wanted = 8, .available = 8}});
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{8}));
}

TEST(Rollout, ScalingInTheMiddleSharesOutInProportion) {
  const RolloutLimits limits{.replicas = 20, .max_surge = 5, .max_unavailable = 5};
  const auto sizes = ProportionalSizes(limits, 13,
                                       {{.wanted = 8, .available = 8, .max_before = 13},
                                        {.wanted = 5, .available = 5, .max_before = 13}});
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{15, 10}));
}

}  // namespace
}  // namespace gs::localcluster
