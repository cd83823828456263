#include "adapters/localcluster/controllers/replica_set.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>

#include "adapters/localcluster/controllers/model_cluster.h"
#include "adapters/localcluster/objects/conditions.h"
#include "adapters/localcluster/objects/metadata.h"

namespace gs::localcluster {
namespace {

constexpr std::string_view kWeb = R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {note: x}}
    spec: {containers: [{name: main, image: web}]}
)";

TEST(ReplicaSet, MakesPodsFromTheTemplateAndSignsThem) {
  ModelCluster cluster;
  const Json set = cluster.Add(kWeb);
  cluster.Settle();
  const auto pods = cluster.All("Pod");
  ASSERT_EQ(pods.size(), 3U);
  EXPECT_TRUE(IsControlledBy(pods[0], set));
  EXPECT_EQ(LabelOf(pods[0], "app"), "web");
  EXPECT_EQ(AnnotationOf(pods[0], "note"), "x");
  EXPECT_TRUE(NameOf(pods[0]).starts_with("web-"));
}

TEST(ReplicaSet, CountsWhatIsReadyAndWhatHasBeenForLongEnough) {
  ModelCluster cluster;
  Json set = cluster.Add(kWeb);
  Make(set, {"spec"})["minReadySeconds"] = 10;
  cluster.Change(set);
  cluster.SettleAndRun();
  Json status = cluster.Get("ReplicaSet", "web").at("status");
  EXPECT_EQ(Int(status, {"readyReplicas"}), 3);
  EXPECT_EQ(Int(status, {"availableReplicas"}, -1), -1);
  ASSERT_EQ(cluster.look_again(), *ParseTime("2026-05-01T12:00:10Z"));

  cluster.Pass(std::chrono::seconds(10));
  cluster.Settle();
  status = cluster.Get("ReplicaSet", "web").at("status");
  EXPECT_EQ(Int(status, {"availableReplicas"}), 3);
  EXPECT_EQ(Int(status, {"observedGeneration"}), 2);
}

TEST(ReplicaSet, ReplacesWhatFailedAndWhatIsGone) {
  ModelCluster cluster;
  (void)cluster.Add(kWeb);
  cluster.SettleAndRun();
  cluster.SetPhase(NameOf(cluster.All("Pod")[0]), "Failed");
  cluster.DeleteNow(cluster.All("Pod")[1]);
  cluster.SettleAndRun();
  EXPECT_EQ(cluster.All("Pod").size(), 4U);  // the failed one is left for people to look at
  EXPECT_EQ(Int(cluster.Get("ReplicaSet", "web"), {"status", "replicas"}), 3);
}

TEST(ReplicaSet, TakesAwayFirstWhatHurtsLeast) {
  ModelCluster cluster;
  Json set = cluster.Add(kWeb);
  cluster.SettleAndRun();
  const Json waiting = cluster.All("Pod")[1];
  cluster.SetPhase(NameOf(waiting), "Pending");
  set = cluster.Get("ReplicaSet", "web");
  Make(set, {"spec"})["replicas"] = 2;
  cluster.Change(set);
  cluster.Settle();
  EXPECT_TRUE(IsBeingDeleted(cluster.Get("Pod", NameOf(waiting))));
  EXPECT_EQ(Int(cluster.Get("ReplicaSet", "web"), {"status", "terminatingReplicas"}), 1);
}

TEST(ReplicaSet, OneThatIsBeingDeletedMakesNothing) {
  ModelCluster cluster;
  Json set = cluster.Add(kWeb);
  Make(set, {"metadata"})["deletionTimestamp"] = "2026-05-01T12:00:00Z";
  const Reconciled wanted = ReconcileReplicaSet(set, {}, cluster.now());
  for (const Write& write : wanted.writes) EXPECT_EQ(write.verb, Verb::kUpdateStatus);
}

}  // namespace
}  // namespace gs::localcluster
