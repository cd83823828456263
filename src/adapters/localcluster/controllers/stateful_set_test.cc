#include "adapters/localcluster/controllers/stateful_set.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "adapters/localcluster/controllers/model_cluster.h"
#include "adapters/localcluster/controllers/stateful_pod.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/objects/pod_facts.h"

namespace gs::localcluster {
namespace {

constexpr std::string_view kDatabase = R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 3
  serviceName: db
  selector: {matchLabels: {app: db}}
  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 0}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: main, image: "db:1"}], volumes: [{name: tmp, emptyDir: {}}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {resources: {requests: {storage: 1Gi}}}
)";

std::vector<std::string> Names(const std::vector<Json>& objects) {
  std::vector<std::string> names;
  for (const Json& each : objects) names.emplace_back(NameOf(each));
  return names;
}

void ChangeSpec(ModelCluster& cluster, std::string_view field, Json value) {
  Json set = cluster.Get("StatefulSet", "db");
  Make(set, {"spec"})[field] = std::move(value);
  cluster.Change(set);
}

void UseImage(ModelCluster& cluster, std::string_view image) {
  Json set = cluster.Get("StatefulSet", "db");
  set.at("spec").at("template").at("spec").at("containers").at(0).as_object()["image"] = image;
  cluster.Change(set);
}

std::string ImageOf(const ModelCluster& cluster, std::string_view pod) {
  const Json found = cluster.Get("Pod", pod);
  return std::string(Text(found.at("spec").at("containers").at(0), {"image"}));
}

TEST(StatefulSet, StartsOnePodAfterTheOther) {
  ModelCluster cluster;
  (void)cluster.Add(kDatabase);
  cluster.Settle();
  EXPECT_EQ(Names(cluster.All("Pod")), (std::vector<std::string>{"db-0"}));
  cluster.RunPods();
  cluster.Settle();
  EXPECT_EQ(Names(cluster.All("Pod")), (std::vector<std::string>{"db-0", "db-1"}));
  cluster.SettleAndRun();
  EXPECT_EQ(Names(cluster.All("Pod")), (std::vector<std::string>{"db-0", "db-1", "db-2"}));
}

TEST(StatefulSet, ParallelStartsAllAtOnce) {
  ModelCluster cluster;
  (void)cluster.Add(kDatabase);
  ChangeSpec(cluster, "podManagementPolicy", "Parallel");
  cluster.Settle();
  EXPECT_EQ(cluster.All("Pod").size(), 3U);
}

TEST(StatefulSet, APodCarriesItsNumber) {
  ModelCluster cluster;
  (void)cluster.Add(kDatabase);
  ChangeSpec(cluster, "ordinals", {{"start", 5}});
  cluster.SettleAndRun();
  const Json pod = cluster.Get("Pod", "db-6");
  EXPECT_EQ(LabelOf(pod, "apps.kubernetes.io/pod-index"), "6");
  EXPECT_EQ(LabelOf(pod, "statefulset.kubernetes.io/pod-name"), "db-6");
  EXPECT_EQ(LabelOf(pod, kRevisionLabel),
            Text(cluster.Get("StatefulSet", "db"), {"status", "updateRevision"}));
  EXPECT_EQ(Text(pod, {"spec", "hostname"}), "db-6");
  EXPECT_EQ(Text(pod, {"spec", "subdomain"}), "db");
  ASSERT_EQ(Items(pod, {"spec", "volumes"}).size(), 2U);
  EXPECT_EQ(Text(Items(pod, {"spec", "volumes"})[0], {"persistentVolumeClaim", "claimName"}),
            "data-db-6");
}

TEST(StatefulSet, ClaimsStayWhenPodsGo) {
  ModelCluster cluster;
  (void)cluster.Add(kDatabase);
  cluster.SettleAndRun();
  ChangeSpec(cluster, "replicas", 1);
  cluster.SettleAndRun();
  EXPECT_EQ(Names(cluster.All("Pod")), (std::vector<std::string>{"db-0"}));
  EXPECT_EQ(Names(cluster.All("PersistentVolumeClaim")),
            (std::vector<std::string>{"data-db-0", "data-db-1", "data-db-2"}));
  EXPECT_EQ(LabelOf(cluster.Get("PersistentVolumeClaim", "data-db-0"), "app"), "db");
}

TEST(StatefulSet, ClaimsGoWithTheirPodsWhereTheRetentionPolicySaysSo) {
  ModelCluster cluster;
  (void)cluster.Add(kDatabase);
  ChangeSpec(cluster, "persistentVolumeClaimRetentionPolicy", {{"whenScaled", "Delete"}});
  cluster.SettleAndRun();
  const Json last = cluster.Get("Pod", "db-2");
  ChangeSpec(cluster, "replicas", 2);
  cluster.Settle();
  EXPECT_TRUE(IsControlledBy(cluster.Get("PersistentVolumeClaim", "data-db-2"), last));
  EXPECT_EQ(ControllerOf(cluster.Get("PersistentVolumeClaim", "data-db-1")), nullptr);
}

TEST(StatefulSet, ShrinksFromTheHighestNumberDownOneByOne) {
  ModelCluster cluster;
  (void)cluster.Add(kDatabase);
  cluster.SettleAndRun();
  ChangeSpec(cluster, "replicas", 1);
  cluster.Settle();
  EXPECT_TRUE(IsBeingDeleted(cluster.Get("Pod", "db-2")));
  EXPECT_FALSE(IsBeingDeleted(cluster.Get("Pod", "db-1")));
}

TEST(StatefulSet, UpdatesInReverseOrderAndWaitsForEach) {
  ModelCluster cluster;
  (void)cluster.Add(kDatabase);
  cluster.SettleAndRun();
  UseImage(cluster, "db:2");
  cluster.Settle();
  EXPECT_TRUE(IsBeingDeleted(cluster.Get("Pod", "db-2")));
  EXPECT_FALSE(IsBeingDeleted(cluster.Get("Pod", "db-1")));
  cluster.RunPods();
  cluster.Settle();
  EXPECT_EQ(ImageOf(cluster, "db-2"), "db:2");
  EXPECT_FALSE(IsBeingDeleted(cluster.Get("Pod", "db-1")));

  cluster.SettleAndRun();
  for (const auto* pod : {"db-0", "db-1", "db-2"}) EXPECT_EQ(ImageOf(cluster, pod), "db:2");
  const Json set = cluster.Get("StatefulSet", "db");
  EXPECT_EQ(Text(set, {"status", "currentRevision"}), Text(set, {"status", "updateRevision"}));
  EXPECT_EQ(Int(set, {"status", "currentReplicas"}), 3);
  EXPECT_EQ(cluster.All("ControllerRevision").size(), 2U);
}

TEST(StatefulSet, BelowThePartitionPodsStayAsTheyWereEvenWhenMadeAnew) {
  ModelCluster cluster;
  (void)cluster.Add(kDatabase);
  cluster.SettleAndRun();
  ChangeSpec(cluster, "updateStrategy",
             {{"type", "RollingUpdate"}, {"rollingUpdate", {{"partition", 2}}}});
  UseImage(cluster, "db:2");
  cluster.SettleAndRun();
  EXPECT_EQ(ImageOf(cluster, "db-2"), "db:2");
  EXPECT_EQ(ImageOf(cluster, "db-1"), "db:1");
  cluster.DeleteNow(cluster.Get("Pod", "db-0"));
  cluster.SettleAndRun();
  EXPECT_EQ(ImageOf(cluster, "db-0"), "db:1");
}

TEST(StatefulSet, OnDeleteWaitsForSomebodyToDelete) {
  ModelCluster cluster;
  (void)cluster.Add(kDatabase);
  cluster.SettleAndRun();
  ChangeSpec(cluster, "updateStrategy", {{"type", "OnDelete"}});
  UseImage(cluster, "db:2");
  cluster.SettleAndRun();
  EXPECT_EQ(ImageOf(cluster, "db-2"), "db:1");
  cluster.DeleteNow(cluster.Get("Pod", "db-2"));
  cluster.SettleAndRun();
  EXPECT_EQ(ImageOf(cluster, "db-2"), "db:2");
}

TEST(StatefulSet, AFailedPodIsMadeAnewUnderItsName) {
  ModelCluster cluster;
  (void)cluster.Add(kDatabase);
  cluster.SettleAndRun();
  const std::string before(UidOf(cluster.Get("Pod", "db-1")));
  cluster.SetPhase("db-1", "Failed");
  cluster.SettleAndRun();
  EXPECT_NE(UidOf(cluster.Get("Pod", "db-1")), before);
  EXPECT_EQ(PhaseOf(cluster.Get("Pod", "db-1")), "Running");
}

TEST(StatefulSet, KnowsItsPodsByName) {
  const Json set{{"metadata", {{"name", "db"}}}};
  const auto ordinal = [&](std::string_view name) {
    return OrdinalOf(set, {{"metadata", {{"name", name}}}});
  };
  EXPECT_EQ(ordinal("db-12"), 12);
  EXPECT_EQ(ordinal("db-012"), std::nullopt);
  EXPECT_EQ(ordinal("db--1"), std::nullopt);
  EXPECT_EQ(ordinal("db-x"), std::nullopt);
  EXPECT_EQ(ordinal("db2-1"), std::nullopt);
  EXPECT_EQ(ordinal("db"), std::nullopt);
}

}  // namespace
}  // namespace gs::localcluster
