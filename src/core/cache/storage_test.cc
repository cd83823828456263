#include "core/cache/storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/cache/cache.h"

namespace gs::cache {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const VolumeClaimKey kData(Namespace("ml"), "data");
const NodeName kNode("n1");

model::PodRef Ref(const std::string& name) {
  return {Namespace("ml"), PodName(name), PodUid("uid-" + name)};
}

model::PodTies Uses(const std::string& claim) { return {.volumes = {{.claim = claim}}}; }

model::VolumeClaim Claim(const std::string& volume = "") {
  model::VolumeClaim claim;
  claim.ns = kData.first;
  claim.name = kData.second;
  claim.volume = volume;
  claim.is_bound = !volume.empty();
  claim.storage_class = "fast";
  return claim;
}

model::Volume Volume(const std::string& name) {
  model::Volume volume;
  volume.name = name;
  volume.driver = "d.example";
  volume.handle = "handle-" + name;
  volume.claim_ns = kData.first;
  volume.claim_name = kData.second;
  volume.storage_class = "fast";
  return volume;
}

TEST(Storage, TellsOnlyWhatIsNews) {
  Storage storage;
  EXPECT_TRUE(storage.See(Claim()));
  auto again = Claim();
  again.resource_version = ResourceVersion("9");
  EXPECT_FALSE(storage.See(again));
  EXPECT_EQ(storage.FindClaim(kData)->resource_version, ResourceVersion("9"));
  EXPECT_TRUE(storage.See(Claim("pv-1")));
  const model::StorageGone gone{model::Kind::kVolumeClaim, kData.first, kData.second};
  EXPECT_TRUE(storage.Lose(gone));
  EXPECT_FALSE(storage.Lose(gone));
  EXPECT_EQ(storage.FindClaim(kData), nullptr);
}

TEST(Storage, FindsVolumesByTheirClassOfToday) {
  Storage storage;
  storage.See(Volume("pv-1"));
  EXPECT_THAT(storage.VolumesOf("fast"), ElementsAre("pv-1"));
  auto moved = Volume("pv-1");
  moved.storage_class = "slow";
  storage.See(moved);
  EXPECT_THAT(storage.VolumesOf("fast"), IsEmpty());
  EXPECT_THAT(storage.VolumesOf("slow"), ElementsAre("pv-1"));
  storage.Lose({model::Kind::kVolume, {}, "pv-1"});
  EXPECT_THAT(storage.VolumesOf("slow"), IsEmpty());
}

TEST(Storage, CountsAVolumeOnceForAllPodsOfANode) {
  Storage storage;
  storage.See(Claim("pv-1"));
  storage.See(Volume("pv-1"));
  storage.SetPlace(Ref("a"), kNode, Uses("data"));
  storage.SetPlace(Ref("b"), kNode, Uses("data"));
  EXPECT_THAT(storage.UsersOf(kData), ElementsAre(Ref("a"), Ref("b")));
  EXPECT_THAT(storage.On(kNode).attached,
              ElementsAre(Pair("d.example", ElementsAre(Pair("handle-pv-1", 2)))));
  storage.SetPlace(Ref("a"), {}, {});
  storage.SetPlace(Ref("b"), {}, {});
  EXPECT_THAT(storage.UsersOf(kData), IsEmpty());
  EXPECT_THAT(storage.On(kNode).attached, IsEmpty());
}

// While a volume is made it counts for the driver that makes it, and afterwards as itself.
TEST(Storage, FollowsAClaimThatGetsItsVolume) {
  Storage storage;
  storage.See(Claim());
  storage.SetPlace(Ref("a"), kNode, Uses("data"));
  EXPECT_THAT(storage.On(kNode).attached, IsEmpty());
  storage.See(model::StorageClass{.name = "fast", .provisioner = "kubernetes.io/gce-pd"});
  EXPECT_THAT(storage.On(kNode).attached,
              ElementsAre(Pair("pd.csi.storage.gke.io", ElementsAre(Pair("claim ml/data", 1)))));
  storage.See(Claim("pv-1"));
  storage.See(Volume("pv-1"));
  EXPECT_THAT(storage.On(kNode).attached,
              ElementsAre(Pair("d.example", ElementsAre(Pair("handle-pv-1", 1)))));
  storage.SetPlace(Ref("a"), {}, {});
  EXPECT_THAT(storage.On(kNode).attached, IsEmpty());
}

TEST(Storage, AVolumeIsOnANodeUntilItIsDetached) {
  Storage storage;
  storage.See(Claim("pv-1"));
  storage.See(Volume("pv-1"));
  model::VolumeAttachment attachment{"csi-1", kNode, "d.example", "pv-1"};
  EXPECT_FALSE(storage.See(attachment)) << "it helps nobody";
  storage.SetPlace(Ref("a"), kNode, Uses("data"));
  EXPECT_THAT(storage.HandlesOn(kNode, "d.example"), ElementsAre("handle-pv-1"));
  storage.SetPlace(Ref("a"), {}, {});
  EXPECT_THAT(storage.HandlesOn(kNode, "d.example"), ElementsAre("handle-pv-1"));
  EXPECT_THAT(storage.HandlesOn(kNode, "other.example"), IsEmpty());
  attachment.node = NodeName("n2");
  EXPECT_TRUE(storage.See(attachment)) << "it is elsewhere now";
  EXPECT_THAT(storage.HandlesOn(kNode, "d.example"), IsEmpty());
  EXPECT_THAT(storage.HandlesOn(NodeName("n2"), "d.example"), ElementsAre("handle-pv-1"));
  const model::StorageGone gone{model::Kind::kVolumeAttachment, {}, "csi-1"};
  EXPECT_TRUE(storage.Lose(gone));
  EXPECT_FALSE(storage.Lose(gone));
  EXPECT_THAT(storage.HandlesOn(NodeName("n2"), "d.example"), IsEmpty());
}

TEST(Storage, KnowsWhoReadsAndWritesADisk) {
  Storage storage;
  const model::NamedDisk reads{"gcePersistentDisk", "disk", true};
  const model::NamedDisk writes{"gcePersistentDisk", "disk", false};
  storage.SetPlace(Ref("a"), kNode, {.disks = {reads}});
  storage.SetPlace(Ref("b"), kNode, {.disks = {writes}});
  const auto& use = storage.On(kNode).disks.at({"gcePersistentDisk", "disk"});
  EXPECT_EQ(use.readers, 1);
  EXPECT_EQ(use.writers, 1);
  EXPECT_EQ(storage.On(kNode).attached.at("pd.csi.storage.gke.io").size(), 1U);
  storage.SetPlace(Ref("a"), {}, {});
  storage.SetPlace(Ref("b"), {}, {});
  EXPECT_THAT(storage.On(kNode).disks, IsEmpty());
}

TEST(Storage, ADecisionCountsUntilItIsTakenBack) {
  Storage storage;
  storage.See(Claim());
  storage.Assume(Ref("a"), kNode, {.matches = {}, .to_make = {"data"}});
  storage.Assume(Ref("b"), NodeName("n2"), {.matches = {}, .to_make = {"data"}});
  EXPECT_EQ(storage.SelectedNodeOf(Claim()), kNode);
  EXPECT_EQ(*storage.DeciderOf(kData), Ref("a").uid);
  EXPECT_FALSE(storage.TakeBack(Ref("b").uid));
  EXPECT_TRUE(storage.TakeBack(Ref("a").uid));
  EXPECT_EQ(storage.SelectedNodeOf(Claim()), NodeName());
  storage.Assume(Ref("a"), kNode, {.matches = {{"data", "pv-1"}}, .to_make = {}});
  EXPECT_EQ(*storage.AssumedClaimOf("pv-1"), kData);
  EXPECT_TRUE(storage.TakeBack(Ref("a").uid));
  EXPECT_EQ(storage.AssumedClaimOf("pv-1"), nullptr);
}

TEST(Storage, FollowsThePodsOfTheCache) {
  Cache cache({.scheduler = SchedulerName("gpu-scheduler")});
  model::Pod pod;
  pod.ref = Ref("a");
  pod.scheduler = SchedulerName("gpu-scheduler");
  pod.ties = Uses("data");
  (void)cache.Apply(model::PodSeen{pod}, {});
  EXPECT_THAT(cache.storage().UsersOf(kData), IsEmpty());
  cache.Assume(pod.ref.uid, kNode, {});
  cache.AssumeVolumes(pod.ref.uid, kNode, {.matches = {{"data", "pv-1"}}, .to_make = {}});
  EXPECT_THAT(cache.storage().UsersOf(kData), ElementsAre(pod.ref));
  EXPECT_NE(cache.storage().AssumedClaimOf("pv-1"), nullptr);
  (void)cache.TakeBack(pod.ref.uid);
  EXPECT_THAT(cache.storage().UsersOf(kData), IsEmpty());
  EXPECT_EQ(cache.storage().AssumedClaimOf("pv-1"), nullptr);
  pod.node = kNode;
  (void)cache.Apply(model::PodSeen{pod}, {});
  EXPECT_THAT(cache.storage().UsersOf(kData), ElementsAre(pod.ref));
  (void)cache.Apply(model::PodGone{pod.ref}, {});
  EXPECT_THAT(cache.storage().UsersOf(kData), IsEmpty());
}

}  // namespace
}  // namespace gs::cache
