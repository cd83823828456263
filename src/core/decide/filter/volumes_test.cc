#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/decide/filter/attach_limits.h"
#include "core/decide/filter/volume_binding.h"
#include "core/decide/filter/volume_claims.h"
#include "core/decide/filter/volume_sharing.h"
#include "core/decide/filter/volume_zone.h"

namespace gs::filter {
namespace {

using cache::VolumeChoice;
using cache::VolumeMatch;
using model::ReasonToken;
using testing::HasSubstr;

const Namespace kNs("ml");
constexpr std::string_view kHost = "host";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";

model::Node Node(const std::string& name, const std::string& zone = "") {
  model::Node node;
  node.name = NodeName(name);
  node.labels.Set(kHost, name);
  if (!zone.empty()) node.labels.Set(kZone, zone);
  return node;
}

model::Pod Pod(const std::string& name, const std::vector<std::string>& claims = {"data"}) {
  model::Pod pod;
  pod.ref = {kNs, PodName(name), PodUid("uid-" + name)};
  for (const auto& claim : claims) pod.ties->volumes.push_back({.claim = claim});
  return pod;
}

model::VolumeClaim Claim(const std::string& name = "data") {
  model::VolumeClaim claim;
  claim.ns = kNs;
  claim.name = name;
  claim.uid = "uid-" + name;
  claim.storage_class = "local";
  claim.access_modes = {"ReadWriteOnce"};
  claim.bytes = 10;
  return claim;
}

model::VolumeClaim BoundTo(const std::string& volume, model::VolumeClaim claim = Claim()) {
  claim.volume = volume;
  claim.is_bound = true;
  return claim;
}

model::Volume Volume(const std::string& name, const std::string& node = "n1") {
  model::Volume volume;
  volume.name = name;
  volume.is_available = true;
  volume.storage_class = "local";
  volume.access_modes = {"ReadOnlyMany", "ReadWriteOnce"};
  volume.bytes = 10;
  volume.node_affinity = {
      {.labels = {{.key = std::string(kHost), .values = {node}}}, .fields = {}}};
  volume.driver = "d.example";
  volume.handle = name;
  return volume;
}

class VolumesTest : public testing::Test {
 protected:
  VolumesTest() {
    See(model::StorageClass{.name = "local",
                            .provisioner = "kubernetes.io/no-provisioner",
                            .waits_for_consumer = true,
                            .allowed_topologies = {}});
    See(model::StorageClass{.name = "made",
                            .provisioner = "d.example",
                            .waits_for_consumer = true,
                            .allowed_topologies = {}});
  }
  void See(const model::StorageObject& object) { storage_.See(object); }

  // Why it cannot be on any node, or an empty text.
  [[nodiscard]] std::string Refused(const model::Pod& pod) const {
    const auto reason = RefusedByClaims(pod, storage_);
    return reason ? ToString(*reason) : "";
  }
  [[nodiscard]] std::string Choice(const model::Pod& pod, const std::string& node) const {
    const auto answer = ChooseVolumes(pod, Node(node), storage_);
    if (const auto* reason = std::get_if<model::Reason>(&answer)) return ToString(*reason);
    std::string text;
    for (const auto& [claim, volume] : std::get<VolumeChoice>(answer).matches) {
      text += claim + "=" + volume + " ";
    }
    for (const auto& claim : std::get<VolumeChoice>(answer).to_make) text += "+" + claim + " ";
    return text;
  }

  cache::Storage storage_;
};

TEST_F(VolumesTest, AClaimMustBeThereAndWell) {
  EXPECT_EQ(Refused(Pod("a", {})), "");
  EXPECT_EQ(Refused(Pod("a")), "VolumeMissing: volume claim ml/data is not there");
  See(Claim());
  EXPECT_EQ(Refused(Pod("a")), "");
  auto claim = Claim();
  claim.is_terminating = true;
  See(claim);
  EXPECT_THAT(Refused(Pod("a")), HasSubstr("is being deleted"));
  claim = BoundTo("pv");
  claim.is_lost = true;
  See(claim);
  EXPECT_THAT(Refused(Pod("a")), HasSubstr("has lost its volume pv"));
  See(BoundTo("pv"));
  EXPECT_THAT(Refused(Pod("a")), HasSubstr("bound to volume pv, which is not there"));
  See(Volume("pv"));
  EXPECT_EQ(Refused(Pod("a")), "");
}

TEST_F(VolumesTest, AClaimThatIsBoundWithoutUsIsWaitedFor) {
  auto claim = Claim();
  claim.storage_class = "";
  See(claim);
  EXPECT_THAT(Refused(Pod("a")), HasSubstr("has no storage class and no volume yet"));
  claim.storage_class = "gone";
  See(claim);
  EXPECT_THAT(Refused(Pod("a")), HasSubstr("of storage class gone, which is not there"));
  See(model::StorageClass{
      .name = "gone", .provisioner = "d", .waits_for_consumer = false, .allowed_topologies = {}});
  EXPECT_THAT(Refused(Pod("a")), HasSubstr("has no volume yet"));
  claim = Claim();
  claim.volume = "pv";
  See(claim);
  EXPECT_THAT(Refused(Pod("a")), HasSubstr("is not bound to volume pv yet"));
}

TEST_F(VolumesTest, AClaimForAnEphemeralVolumeMustBeThePods) {
  auto pod = Pod("a", {});
  pod.ties->volumes = {{.claim = "a-scratch", .is_made_for_pod = true}};
  EXPECT_THAT(Refused(pod), HasSubstr("is not made for the pod yet"));
  auto claim = Claim("a-scratch");
  See(claim);
  EXPECT_THAT(Refused(pod), HasSubstr("was not made for the pod"));
  claim.owner = pod.ref.uid;
  See(claim);
  EXPECT_EQ(Refused(pod), "");
}

TEST_F(VolumesTest, ABoundVolumeMustBeInReach) {
  See(BoundTo("pv"));
  See(Volume("pv", "n1"));
  EXPECT_EQ(Choice(Pod("a"), "n1"), "");
  EXPECT_EQ(
      Choice(Pod("a"), "n2"),
      "NodesExcluded: volume pv of volume claim ml/data can be reached only where host In (n1)");
}

TEST_F(VolumesTest, TheSmallestVolumeThatSuitsIsTaken) {
  See(Claim());
  auto large = Volume("a-large");
  large.bytes = 30;
  See(large);
  auto fitting = Volume("b-fitting");
  fitting.bytes = 20;
  See(fitting);
  auto small = Volume("small");
  small.bytes = 9;
  See(small);
  auto elsewhere = Volume("elsewhere", "n2");
  See(elsewhere);
  EXPECT_EQ(Choice(Pod("a"), "n1"), "data=b-fitting ");
  EXPECT_EQ(Choice(Pod("a"), "n2"), "data=elsewhere ");
  EXPECT_THAT(Choice(Pod("a"), "n3"), HasSubstr("nobody makes any of storage class local"));
}

TEST_F(VolumesTest, AVolumeMustBeOfTheModesClassAndLabelsAskedForAndFree) {
  auto claim = Claim();
  claim.selector = {{{.key = "tier", .values = {"fast"}}}};
  claim.access_modes = {"ReadWriteMany"};
  claim.is_block = true;
  See(claim);
  auto volume = Volume("pv");
  const auto fits = [&] {
    See(volume);
    return Choice(Pod("a"), "n1") == "data=pv ";
  };
  EXPECT_FALSE(fits());
  volume.labels.Set("tier", "fast");
  EXPECT_FALSE(fits());
  volume.access_modes = {"ReadWriteMany", "ReadWriteOnce"};
  EXPECT_FALSE(fits());
  volume.is_block = true;
  EXPECT_TRUE(fits());
  volume.is_available = false;
  EXPECT_FALSE(fits());
  volume.is_available = true;
  volume.is_terminating = true;
  EXPECT_FALSE(fits());
  volume.is_terminating = false;
  volume.claim_ns = kNs;
  volume.claim_name = "other";
  EXPECT_FALSE(fits());
  volume.claim_name = "data";
  volume.claim_uid = "of another";
  EXPECT_FALSE(fits());
  volume.claim_uid = claim.uid;
  volume.labels = {};
  EXPECT_TRUE(fits());
}

TEST_F(VolumesTest, TwoClaimsOfAPodDoNotGetTheSameVolume) {
  See(Claim("data"));
  See(Claim("more"));
  See(Volume("pv-1"));
  EXPECT_THAT(Choice(Pod("a", {"data", "more", "data"}), "n1"), HasSubstr("NodesExcluded"));
  See(Volume("pv-2"));
  EXPECT_EQ(Choice(Pod("a", {"data", "more", "data"}), "n1"), "data=pv-1 more=pv-2 ");
}

TEST_F(VolumesTest, AVolumeThatADecisionHasTakenIsTaken) {
  See(Claim("data"));
  See(Claim("other"));
  See(Volume("pv"));
  storage_.Assume(Pod("b").ref, NodeName("n1"), {.matches = {{"other", "pv"}}, .to_make = {}});
  EXPECT_THAT(Choice(Pod("a"), "n1"), HasSubstr("NodesExcluded"));
  EXPECT_EQ(Choice(Pod("c", {"other"}), "n1"), "other=pv ");
}

TEST_F(VolumesTest, AVolumeIsMadeWhereTheClassAndTheDriverAllowIt) {
  auto claim = Claim();
  claim.storage_class = "made";
  See(claim);
  EXPECT_EQ(Choice(Pod("a"), "n1"), "+data ");
  See(model::StorageClass{
      .name = "made",
      .provisioner = "d.example",
      .waits_for_consumer = true,
      .allowed_topologies = {{.labels = {{.key = "host", .values = {"n1"}}}, .fields = {}}}});
  EXPECT_EQ(Choice(Pod("a"), "n1"), "+data ");
  EXPECT_THAT(Choice(Pod("a"), "n2"), HasSubstr("has volumes only where host In (n1)"));
  See(model::StorageDriver{.name = "d.example", .tells_capacity = true});
  EXPECT_THAT(Choice(Pod("a"), "n1"), HasSubstr("TooFewResources: too little storage"));
  model::StorageCapacity capacity{.ns = kNs,
                                  .name = "c",
                                  .storage_class = "made",
                                  .nodes = model::LabelSelector(),
                                  .bytes = 10,
                                  .largest_bytes = {}};
  See(capacity);
  EXPECT_EQ(Choice(Pod("a"), "n1"), "+data ");
  capacity.largest_bytes = 9;
  See(capacity);
  EXPECT_THAT(Choice(Pod("a"), "n1"), HasSubstr("too little storage"));
}

TEST_F(VolumesTest, AVolumeThatIsBeingMadeKeepsThePodToItsNode) {
  auto claim = Claim();
  claim.storage_class = "made";
  See(claim);
  storage_.Assume(Pod("b").ref, NodeName("n1"), {.matches = {}, .to_make = {"data"}});
  EXPECT_EQ(Choice(Pod("a"), "n1"), "+data ");
  EXPECT_THAT(Choice(Pod("a"), "n2"), HasSubstr("is being made for n1"));
  claim.selected_node = NodeName("n2");
  See(claim);
  EXPECT_EQ(Choice(Pod("a"), "n2"), "+data ");
}

TEST_F(VolumesTest, AClaimForOnePodIsNotShared) {
  auto claim = BoundTo("pv");
  See(claim);
  storage_.SetPlace(Pod("b").ref, NodeName("n2"), *Pod("b").ties);
  EXPECT_EQ(RefusedBySharing(Pod("a"), NodeName("n1"), storage_), std::nullopt);
  claim.access_modes = {"ReadWriteOncePod"};
  See(claim);
  const auto reason = RefusedBySharing(Pod("a"), NodeName("n1"), storage_);
  ASSERT_TRUE(reason.has_value());
  EXPECT_EQ(ToString(*reason),
            "VolumeInUse: volume claim ml/data is for one pod at a time, and ml/b has it");
}

TEST_F(VolumesTest, DisksAreSharedByReadersAtMost) {
  const auto disk = [](const std::string& kind, bool is_read_only) {
    model::Pod pod = Pod("a", {});
    pod.ties->disks = {{kind, "disk", is_read_only}};
    return pod;
  };
  const auto refused = [&](const std::string& kind, bool first_reads, bool second_reads) {
    cache::Storage storage;
    storage.SetPlace(Pod("b").ref, NodeName("n1"), *disk(kind, first_reads).ties);
    const auto second = disk(kind, second_reads);
    EXPECT_EQ(RefusedBySharing(second, NodeName("n2"), storage), std::nullopt);
    return RefusedBySharing(second, NodeName("n1"), storage).has_value();
  };
  for (const char* kind : {"gcePersistentDisk", "iscsi", "rbd"}) {
    EXPECT_FALSE(refused(kind, true, true)) << kind;
    EXPECT_TRUE(refused(kind, true, false)) << kind;
    EXPECT_TRUE(refused(kind, false, true)) << kind;
  }
  EXPECT_TRUE(refused("awsElasticBlockStore", true, true));
  EXPECT_FALSE(refused("azureDisk", false, false));
}

TEST_F(VolumesTest, AVolumeOfAZoneIsUsedThere) {
  See(BoundTo("pv"));
  auto volume = Volume("pv");
  volume.labels.Set(kZone, "a__b");
  See(volume);
  const auto refused = [&](const model::Node& node) {
    return RefusedByVolumeZone(Pod("p"), node, storage_).has_value();
  };
  EXPECT_FALSE(refused(Node("n1", "a")));
  EXPECT_FALSE(refused(Node("n1", "b")));
  EXPECT_TRUE(refused(Node("n1", "c")));
  EXPECT_FALSE(refused(Node("n1")));
  volume.labels = {};
  volume.labels.Set("failure-domain.beta.kubernetes.io/zone", "a");
  See(volume);
  EXPECT_FALSE(refused(Node("n1", "a")));
  EXPECT_TRUE(refused(Node("n1", "b")));
}

TEST_F(VolumesTest, ANodeAttachesOnlySoManyVolumesOfADriver) {
  const NodeName node("n1");
  for (const char* name : {"data", "more"}) {
    See(BoundTo(std::string("pv-") + name, Claim(name)));
    See(Volume(std::string("pv-") + name));
  }
  storage_.SetPlace(Pod("b").ref, node, *Pod("b").ties);
  EXPECT_EQ(RefusedByAttachLimit(Pod("a", {"more"}), node, storage_), std::nullopt);
  See(model::NodeDrivers{.node = node, .limits = {{"d.example", 1}}});
  EXPECT_EQ(RefusedByAttachLimit(Pod("a", {"data"}), node, storage_), std::nullopt);
  const auto reason = RefusedByAttachLimit(Pod("a", {"more"}), node, storage_);
  ASSERT_TRUE(reason.has_value());
  EXPECT_EQ(ToString(*reason),
            "TooFewResources: no more than 1 volumes of d.example can be attached: 1 are, and the "
            "pod needs 1 more");
  storage_.SetPlace(Pod("b").ref, {}, {});
  EXPECT_EQ(RefusedByAttachLimit(Pod("a", {"more"}), node, storage_), std::nullopt);
  See(model::VolumeAttachment{"csi-1", node, "d.example", "pv-data"});
  EXPECT_TRUE(RefusedByAttachLimit(Pod("a", {"more"}), node, storage_)) << "not detached yet";
  EXPECT_EQ(RefusedByAttachLimit(Pod("a", {"data"}), node, storage_), std::nullopt);
  See(model::NodeDrivers{.node = node, .limits = {{"d.example", std::nullopt}}});
  EXPECT_EQ(RefusedByAttachLimit(Pod("a", {"more"}), node, storage_), std::nullopt);
}

}  // namespace
}  // namespace gs::filter
