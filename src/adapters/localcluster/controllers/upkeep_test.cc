// The controllers that keep other things in order: nodes, volumes and disruption budgets.
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "adapters/localcluster/controllers/disruption.h"
#include "adapters/localcluster/controllers/node_lifecycle.h"
#include "adapters/localcluster/controllers/volumes.h"
#include "adapters/localcluster/objects/conditions.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/yaml/parse.h"

namespace gs::localcluster {
namespace {

using std::chrono::seconds;

const TimePoint kNoon = *ParseTime("2026-05-01T12:00:00Z");

Json Parse(std::string_view yaml) { return *yaml::ParseYaml(yaml); }

TEST(NodeLifecycle, ANodeThatIsNotHeardOfIsMarkedAndTainted) {
  Json node = Parse(R"(
kind: Node
metadata: {name: n1}
spec: {taints: [{key: mine, effect: NoSchedule}]}
status: {conditions: [{type: Ready, status: "True"}]}
)");
  const Json lease = Parse("spec: {renewTime: \"2026-05-01T12:00:00.000000Z\"}");
  auto wanted = ReconcileNode(node, &lease, seconds(50), kNoon + seconds(10));
  EXPECT_TRUE(wanted.writes.empty());
  EXPECT_EQ(wanted.look_again, kNoon + seconds(50));

  wanted = ReconcileNode(node, &lease, seconds(50), kNoon + seconds(50));
  ASSERT_EQ(wanted.writes.size(), 1U);
  EXPECT_EQ(wanted.writes[0].verb, Verb::kUpdateStatus);
  node = wanted.writes[0].object;
  EXPECT_EQ(Text(*FindCondition(node.at("status"), "Ready"), {"status"}), "Unknown");

  wanted = ReconcileNode(node, &lease, seconds(50), kNoon + seconds(51));
  ASSERT_EQ(wanted.writes.size(), 1U);
  node = wanted.writes[0].object;
  ASSERT_EQ(Items(node, {"spec", "taints"}).size(), 3U);
  EXPECT_EQ(Text(Items(node, {"spec", "taints"})[2], {"key"}), "node.kubernetes.io/unreachable");
  EXPECT_TRUE(ReconcileNode(node, &lease, seconds(50), kNoon + seconds(52)).writes.empty());

  // It is back: its kubelet says Ready, and the taints go.
  const Json renewed = Parse("spec: {renewTime: \"2026-05-01T12:01:00.000000Z\"}");
  SetCondition(node.at("status"), {"Ready", "True", "", ""}, kNoon);
  wanted = ReconcileNode(node, &renewed, seconds(50), kNoon + seconds(61));
  ASSERT_EQ(wanted.writes.size(), 1U);
  EXPECT_EQ(Items(wanted.writes[0].object, {"spec", "taints"}).size(), 1U);
}

TEST(NodeLifecycle, ANodeWithoutAHeartbeatIsLeftAlone) {
  const Json node =
      Parse("{metadata: {name: n1}, status: {conditions: [{type: Ready, status: \"False\"}]}}");
  EXPECT_TRUE(ReconcileNode(node, nullptr, seconds(50), kNoon).writes.empty());
}

const Json kClaim = Parse(R"(
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: team, uid: u1}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}}
)");

Json Volume(std::string_view name, std::string_view size, std::string_view storage_class) {
  return Parse("{apiVersion: v1, kind: PersistentVolume, metadata: {name: " + std::string(name) +
               "}, spec: {capacity: {storage: " + std::string(size) +
               "}, accessModes: [ReadWriteOnce], storageClassName: \"" +
               std::string(storage_class) + "\"}}");
}

TEST(Volumes, AClaimGetsAVolumeMadeForIt) {
  const VolumeView view{.volumes = {}, .classes = {DefaultStorageClass()}};
  const auto made = ReconcileClaim(kClaim, view);
  ASSERT_EQ(made.writes.size(), 1U);
  const Json& volume = made.writes[0].object;
  EXPECT_EQ(NameOf(volume), "pvc-u1");

  const VolumeView after{.volumes = {volume}, .classes = {DefaultStorageClass()}};
  const auto bound = ReconcileClaim(kClaim, after);
  ASSERT_EQ(bound.writes.size(), 1U);
  EXPECT_EQ(Text(bound.writes[0].object, {"spec", "volumeName"}), "pvc-u1");
  const auto told = ReconcileClaim(bound.writes[0].object, after);
  ASSERT_EQ(told.writes.size(), 1U);
  EXPECT_EQ(Text(told.writes[0].object, {"status", "phase"}), "Bound");
  EXPECT_TRUE(ReconcileClaim(told.writes[0].object, after).writes.empty());
  EXPECT_EQ(Text(ReconcileVolume(volume, &kClaim).writes.at(0).object, {"status", "phase"}),
            "Bound");
  EXPECT_EQ(ReconcileVolume(volume, nullptr).writes.at(0).verb, Verb::kDelete);
}

TEST(Volumes, TheSmallestThatIsLargeEnoughIsTaken) {
  Json claim = kClaim;
  Make(claim, {"spec"})["storageClassName"] = "";
  const VolumeView view{.volumes = {Volume("small", "1Gi", ""), Volume("huge", "9Gi", ""),
                                    Volume("right", "2Gi", ""), Volume("other", "2Gi", "fast")},
                        .classes = {DefaultStorageClass()}};
  const auto wanted = ReconcileClaim(claim, view);
  ASSERT_EQ(wanted.writes.size(), 2U);
  EXPECT_EQ(NameOf(wanted.writes[0].object), "right");
  EXPECT_EQ(Text(wanted.writes[0].object, {"spec", "claimRef", "uid"}), "u1");
}

TEST(Volumes, AClaimMayWaitForItsFirstConsumer) {
  Json storage_class = DefaultStorageClass();
  Make(storage_class, {})["volumeBindingMode"] = "WaitForFirstConsumer";
  const VolumeView view{.volumes = {}, .classes = {storage_class}};
  const auto waiting = ReconcileClaim(kClaim, view);
  EXPECT_EQ(Text(waiting.writes.at(0).object, {"status", "phase"}), "Pending");
  Json claim = kClaim;
  Make(claim, {"metadata", "annotations"})["volume.kubernetes.io/selected-node"] = "n1";
  EXPECT_EQ(ReconcileClaim(claim, view).writes.at(0).verb, Verb::kCreate);
}

TEST(Volumes, AClaimThatWaitsTakesOnlyWhatIsKeptForIt) {
  Json storage_class = DefaultStorageClass();
  Make(storage_class, {})["volumeBindingMode"] = "WaitForFirstConsumer";
  Json volume = Volume("free", "9Gi", NameOf(storage_class));
  const auto waiting = ReconcileClaim(kClaim, {.volumes = {volume}, .classes = {storage_class}});
  EXPECT_EQ(Text(waiting.writes.at(0).object, {"status", "phase"}), "Pending");
  Make(volume, {"spec", "claimRef"})["name"] = NameOf(kClaim);
  Make(volume, {"spec", "claimRef"})["namespace"] = NamespaceOf(kClaim);
  Make(volume, {"spec", "claimRef"})["uid"] = UidOf(kClaim);
  const auto bound = ReconcileClaim(kClaim, {.volumes = {volume}, .classes = {storage_class}});
  EXPECT_EQ(Text(bound.writes.at(0).object, {"spec", "volumeName"}), "free");
}

TEST(Disruption, CountsWhatMayGo) {
  const auto pod = [](std::string_view app, std::string_view ready) {
    return Parse("{metadata: {labels: {app: " + std::string(app) +
                 "}}, status: {phase: Running, conditions: [{type: Ready, status: \"" +
                 std::string(ready) + "\"}]}}");
  };
  const Json budget = Parse(
      "{metadata: {generation: 2}, spec: {minAvailable: 50%, selector: {matchLabels: {app: "
      "web}}}}");
  const auto wanted = ReconcileBudget(budget,
                                      {pod("web", "True"), pod("web", "True"), pod("web", "True"),
                                       pod("web", "False"), pod("db", "True")},
                                      kNoon);
  ASSERT_EQ(wanted.writes.size(), 1U);
  const Json& status = wanted.writes[0].object.at("status");
  EXPECT_EQ(Int(status, {"expectedPods"}), 4);
  EXPECT_EQ(Int(status, {"currentHealthy"}), 3);
  EXPECT_EQ(Int(status, {"desiredHealthy"}), 2);
  EXPECT_EQ(Int(status, {"disruptionsAllowed"}), 1);
  EXPECT_TRUE(IsTrue(status, "DisruptionAllowed"));
}

TEST(Disruption, AnEvictedPodCountsAsGoneBeforeItIs) {
  const auto pod = [](std::string_view name) {
    return Parse("{metadata: {name: " + std::string(name) +
                 "}, status: {phase: Running, conditions: [{type: Ready, status: \"True\"}]}}");
  };
  const Json budget = Parse(
      "{metadata: {generation: 1}, spec: {minAvailable: 1, selector: {}}, status: {disruptedPods: "
      "{a: \"2026-05-01T12:00:00Z\", gone: \"2026-05-01T12:00:00Z\"}}}");
  const auto soon = ReconcileBudget(budget, {pod("a"), pod("b")}, kNoon);
  const Json& status = soon.writes.at(0).object.at("status");
  EXPECT_EQ(Int(status, {"currentHealthy"}), 1);
  EXPECT_EQ(Int(status, {"disruptionsAllowed"}), 0);
  EXPECT_EQ(Members(status, {"disruptedPods"}).size(), 1U);
  ASSERT_TRUE(soon.look_again.has_value());
  const auto later = ReconcileBudget(budget, {pod("a"), pod("b")}, *soon.look_again);
  EXPECT_EQ(Int(later.writes.at(0).object.at("status"), {"disruptionsAllowed"}), 1);
}

}  // namespace
}  // namespace gs::localcluster
