#include "adapters/localcluster/controllers/garbage.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "adapters/localcluster/controllers/expiry.h"
#include "adapters/localcluster/controllers/job_pods.h"
#include "adapters/localcluster/controllers/namespaces.h"
#include "adapters/localcluster/objects/metadata.h"
#include "adapters/yaml/parse.h"

namespace gs::localcluster {
namespace {

Json Parse(std::string_view yaml) { return *yaml::ParseYaml(yaml); }

const Json kPod = Parse(R"(
apiVersion: v1
kind: Pod
metadata:
  name: a
  namespace: team
  uid: pod-uid
  ownerReferences:
  - {apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: u1, blockOwnerDeletion: true}
  - {apiVersion: v1, kind: ConfigMap, name: c, uid: u2}
)");

FindOwner States(OwnerState first, OwnerState second) {
  return [=](const Json& reference) { return Text(reference, {"uid"}) == "u1" ? first : second; };
}

TEST(Garbage, WhatHasAllItsOwnersStays) {
  EXPECT_TRUE(
      CollectOwned(kPod, false, States(OwnerState::kThere, OwnerState::kThere)).writes.empty());
}

TEST(Garbage, AnOwnerThatIsLeftKeepsTheObjectButNotTheOtherReference) {
  const auto wanted = CollectOwned(kPod, false, States(OwnerState::kGone, OwnerState::kThere));
  ASSERT_EQ(wanted.writes.size(), 1U);
  EXPECT_EQ(wanted.writes[0].verb, Verb::kUpdate);
  const auto& owners = Items(wanted.writes[0].object, {"metadata", "ownerReferences"});
  ASSERT_EQ(owners.size(), 1U);
  EXPECT_EQ(Text(owners[0], {"uid"}), "u2");
}

TEST(Garbage, WhatHasNoOwnerLeftGoes) {
  const auto wanted = CollectOwned(kPod, false, States(OwnerState::kGone, OwnerState::kGone));
  ASSERT_EQ(wanted.writes.size(), 1U);
  EXPECT_EQ(wanted.writes[0].verb, Verb::kDelete);
  EXPECT_EQ(UidOf(wanted.writes[0].object), "pod-uid");
  EXPECT_EQ(wanted.writes[0].dependents, Dependents::kBackground);
}

TEST(Garbage, APodWhoseJobIsGoneIsReleasedFromIt) {
  Json pod = kPod;
  Make(pod, {"metadata"})["finalizers"] = boost::json::array{Json(kTrackingFinalizer)};
  const auto gone = States(OwnerState::kGone, OwnerState::kGone);
  const auto wanted = CollectOwned(pod, false, gone);
  ASSERT_EQ(wanted.writes.size(), 2U);
  EXPECT_FALSE(HasFinalizer(wanted.writes[0].object, kTrackingFinalizer));
  EXPECT_EQ(wanted.writes[1].verb, Verb::kDelete);
  Make(pod, {"metadata"})["deletionTimestamp"] = "x";
  EXPECT_EQ(CollectOwned(pod, false, gone).writes.size(), 1U) << "it is on its way";
  const auto counting = States(OwnerState::kWaitsForOwned, OwnerState::kGone);
  EXPECT_TRUE(CollectOwned(pod, false, counting).writes.empty()) << "the Job does it itself";
}

TEST(Garbage, AnOwnerThatWaitsPassesItsPatienceOn) {
  const auto states = States(OwnerState::kWaitsForOwned, OwnerState::kGone);
  EXPECT_EQ(CollectOwned(kPod, true, states).writes.at(0).dependents, Dependents::kForeground);
  EXPECT_EQ(CollectOwned(kPod, false, states).writes.at(0).dependents, Dependents::kBackground);
}

TEST(Garbage, AnOwnerInTheForegroundWaitsForWhatBlocksIt) {
  const Json owner = Parse(R"(
metadata: {name: web, uid: u1, deletionTimestamp: "x", finalizers: [foregroundDeletion]})");
  EXPECT_TRUE(CollectOwner(owner, {kPod}).writes.empty());
  const auto wanted = CollectOwner(owner, {});
  ASSERT_EQ(wanted.writes.size(), 1U);
  EXPECT_FALSE(HasFinalizer(wanted.writes[0].object, kForegroundFinalizer));
  // A reference that does not block is not waited for.
  const Json other = Parse(R"(
metadata: {name: c, uid: u2, deletionTimestamp: "x", finalizers: [foregroundDeletion]})");
  EXPECT_EQ(CollectOwner(other, {kPod}).writes.size(), 1U);
}

TEST(Garbage, OrphansKeepTheirOtherOwnersAndTheirLives) {
  const Json owner =
      Parse(R"(metadata: {name: web, uid: u1, deletionTimestamp: "x", finalizers: [orphan]})");
  const auto wanted = CollectOwner(owner, {kPod});
  ASSERT_EQ(wanted.writes.size(), 2U);
  EXPECT_EQ(Items(wanted.writes[0].object, {"metadata", "ownerReferences"}).size(), 1U);
  EXPECT_FALSE(HasFinalizer(wanted.writes[1].object, kOrphanFinalizer));
}

TEST(Garbage, AnOwnerThatStaysHasNothingToWaitFor) {
  const Json owner = Parse("metadata: {name: web, uid: u1, finalizers: [orphan]}");
  EXPECT_TRUE(CollectOwner(owner, {kPod}).writes.empty());
}

TEST(Namespaces, EveryOneGetsItsServiceAccountAndCertificate) {
  const Json space = Parse("{kind: Namespace, metadata: {name: team}}");
  auto wanted = ReconcileNamespace(space, {}, "PEM");
  ASSERT_EQ(wanted.writes.size(), 2U);
  EXPECT_EQ(NamespaceOf(wanted.writes[0].object), "team");
  EXPECT_EQ(Text(wanted.writes[1].object, {"data", "ca.crt"}), "PEM");
  wanted = ReconcileNamespace(space, {wanted.writes[0].object, wanted.writes[1].object}, "PEM");
  EXPECT_TRUE(wanted.writes.empty());
}

TEST(Namespaces, ADeletedOneIsEmptiedAndThenReleased) {
  const Json space = Parse(R"(
{kind: Namespace, metadata: {name: team, deletionTimestamp: "x"}, spec: {finalizers: [kubernetes]}})");
  auto wanted =
      ReconcileNamespace(space, {Parse("{kind: ConfigMap, metadata: {name: c}}"), kPod}, "");
  ASSERT_EQ(wanted.writes.size(), 2U);
  EXPECT_EQ(KindOf(wanted.writes[0].object), "Pod");
  EXPECT_EQ(KindOf(wanted.writes[1].object), "ConfigMap");
  Json going = kPod;
  Make(going, {"metadata"})["deletionTimestamp"] = "x";
  EXPECT_TRUE(ReconcileNamespace(space, {going}, "").writes.empty());
  wanted = ReconcileNamespace(space, {}, "");
  ASSERT_EQ(wanted.writes.size(), 1U);
  EXPECT_EQ(wanted.writes[0].verb, Verb::kFinalize);
  EXPECT_TRUE(Items(wanted.writes[0].object, {"spec", "finalizers"}).empty());
}

TEST(Expiry, AnEventLivesForAnHourAfterItLastHappened) {
  const Json event = Parse(R"(
kind: Event
metadata: {name: e, creationTimestamp: "2026-05-01T12:00:00Z"}
lastTimestamp: "2026-05-01T12:30:00Z")");
  const auto wanted = ExpireEvent(event, *ParseTime("2026-05-01T13:10:00Z"));
  EXPECT_TRUE(wanted.writes.empty());
  EXPECT_EQ(wanted.look_again, *ParseTime("2026-05-01T13:30:00Z"));
  EXPECT_EQ(ExpireEvent(event, *ParseTime("2026-05-01T13:30:00Z")).writes.size(), 1U);
}

}  // namespace
}  // namespace gs::localcluster
