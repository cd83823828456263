#include "adapters/kube/objects/decode_storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/kube/objects/decode.h"

namespace gs::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DecodeVolumeClaim, ReadsWhatItAsksForAndWhatItHas) {
  const auto claim = DecodeVolumeClaim(R"({
    "metadata": {"namespace": "ml", "name": "data", "uid": "u", "resourceVersion": "7",
      "annotations": {"pv.kubernetes.io/bind-completed": "yes",
                      "volume.kubernetes.io/selected-node": "n1"},
      "ownerReferences": [{"kind": "Pod", "uid": "p", "controller": true}]},
    "spec": {"volumeName": "pv-1", "storageClassName": "fast", "volumeMode": "Block",
      "accessModes": ["ReadWriteOncePod", "ReadOnlyMany"],
      "resources": {"requests": {"storage": "1Ki"}},
      "selector": {"matchLabels": {"tier": "a"}}}})");
  ASSERT_TRUE(claim.ok()) << claim.error();
  EXPECT_EQ(claim->ns, Namespace("ml"));
  EXPECT_EQ(claim->volume, "pv-1");
  EXPECT_TRUE(claim->is_bound);
  EXPECT_EQ(claim->selected_node, NodeName("n1"));
  EXPECT_EQ(claim->owner, PodUid("p"));
  EXPECT_EQ(claim->storage_class, "fast");
  EXPECT_THAT(claim->access_modes, ElementsAre("ReadOnlyMany", "ReadWriteOncePod"));
  EXPECT_EQ(claim->bytes, 1024);
  EXPECT_TRUE(claim->is_block);
  ASSERT_TRUE(claim->selector.has_value());
  EXPECT_EQ(ToString(*claim->selector), "tier In (a)");
}

TEST(DecodeVolumeClaim, IsNotBoundBeforeTheControllerSaysSo) {
  const auto claim = DecodeVolumeClaim(
      R"({"metadata": {"namespace": "ml", "name": "data", "deletionTimestamp": "2026-01-01T00:00:00Z"},
          "spec": {"volumeName": "pv-1"}, "status": {"phase": "Lost"}})");
  ASSERT_TRUE(claim.ok()) << claim.error();
  EXPECT_FALSE(claim->is_bound);
  EXPECT_TRUE(claim->is_lost);
  EXPECT_TRUE(claim->is_terminating);
}

TEST(DecodeVolumeClaim, RefusesAnOperatorThatIsNotKnown) {
  const auto claim = DecodeVolumeClaim(
      R"({"metadata": {"namespace": "ml", "name": "data"},
          "spec": {"selector": {"matchExpressions": [{"key": "a", "operator": "Near"}]}}})");
  ASSERT_FALSE(claim.ok());
  EXPECT_THAT(ToString(claim.error()), HasSubstr("operator"));
}

TEST(DecodeVolume, ReadsWhoseItIsAndWhereItCanBeReached) {
  const auto volume = DecodeVolume(R"({
    "metadata": {"name": "pv-1", "labels": {"zone": "a"},
      "annotations": {"volume.beta.kubernetes.io/storage-class": "old"}},
    "spec": {"csi": {"driver": "d.example", "volumeHandle": "h"}, "capacity": {"storage": "2Ki"},
      "storageClassName": "new", "claimRef": {"namespace": "ml", "name": "data"},
      "nodeAffinity": {"required": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "host", "operator": "In", "values": ["n1"]}]}]}}},
    "status": {"phase": "Available"}})");
  ASSERT_TRUE(volume.ok()) << volume.error();
  EXPECT_EQ(volume->storage_class, "old");
  EXPECT_EQ(volume->claim_ns, Namespace("ml"));
  EXPECT_EQ(volume->claim_name, "data");
  EXPECT_EQ(volume->claim_uid, "");
  EXPECT_TRUE(volume->is_available);
  EXPECT_EQ(volume->bytes, 2048);
  EXPECT_EQ(volume->driver, "d.example");
  EXPECT_EQ(volume->handle, "h");
  ASSERT_TRUE(volume->node_affinity.has_value());
  EXPECT_EQ(ToString(volume->node_affinity->front()), "host In (n1)");
}

TEST(DecodeVolume, AnOldKindOfDiskIsItsDrivers) {
  const auto volume = DecodeVolume(
      R"({"metadata": {"name": "pv-1"}, "spec": {"awsElasticBlockStore": {"volumeID": "vol-1"}}})");
  ASSERT_TRUE(volume.ok()) << volume.error();
  EXPECT_EQ(volume->driver, "ebs.csi.aws.com");
  EXPECT_EQ(volume->handle, "vol-1");
  EXPECT_FALSE(volume->node_affinity.has_value());
}

TEST(DecodeStorage, ReadsClassesDriversAndCapacities) {
  const auto kind = DecodeStorageClass(R"({"metadata": {"name": "fast"}, "provisioner": "d.example",
    "volumeBindingMode": "WaitForFirstConsumer",
    "allowedTopologies": [{"matchLabelExpressions": [{"key": "zone", "values": ["a", "b"]}]}]})");
  ASSERT_TRUE(kind.ok()) << kind.error();
  EXPECT_TRUE(kind->waits_for_consumer);
  ASSERT_EQ(kind->allowed_topologies.size(), 1U);
  EXPECT_EQ(ToString(kind->allowed_topologies.front()), "zone In (a, b)");

  const auto drivers = DecodeNodeDrivers(R"({"metadata": {"name": "n1"}, "spec": {"drivers": [
    {"name": "a.example", "allocatable": {"count": 3}}, {"name": "b.example"}]}})");
  ASSERT_TRUE(drivers.ok()) << drivers.error();
  EXPECT_EQ(drivers->limits.at("a.example"), 3);
  EXPECT_EQ(drivers->limits.at("b.example"), std::nullopt);

  const auto driver = DecodeStorageDriver(
      R"({"metadata": {"name": "a.example"}, "spec": {"storageCapacity": true}})");
  ASSERT_TRUE(driver.ok()) << driver.error();
  EXPECT_TRUE(driver->tells_capacity);

  const auto capacity = DecodeStorageCapacity(
      R"({"metadata": {"namespace": "kube-system", "name": "c"}, "storageClassName": "fast",
          "nodeTopology": {"matchLabels": {"zone": "a"}}, "capacity": "1Ki"})");
  ASSERT_TRUE(capacity.ok()) << capacity.error();
  EXPECT_EQ(capacity->bytes, 1024);
  EXPECT_EQ(capacity->largest_bytes, std::nullopt);
  EXPECT_TRUE(capacity->nodes.has_value());

  const auto attachment = DecodeVolumeAttachment(
      R"({"metadata": {"name": "csi-1"}, "spec": {"attacher": "a.example", "nodeName": "n1",
          "source": {"persistentVolumeName": "pv-1"}}, "status": {"attached": false}})");
  ASSERT_TRUE(attachment.ok()) << attachment.error();
  EXPECT_EQ(*attachment, (model::VolumeAttachment{"csi-1", NodeName("n1"), "a.example", "pv-1"}));
  EXPECT_FALSE(DecodeVolumeAttachment(R"({"metadata": {}})").ok());
}

TEST(DecodePod, ReadsItsVolumesAlsoWhenItIsBound) {
  const auto pod = DecodePod(R"({
    "metadata": {"namespace": "ml", "name": "train", "uid": "u"},
    "spec": {"nodeName": "n1", "volumes": [
      {"name": "a", "persistentVolumeClaim": {"claimName": "data"}},
      {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {}}},
      {"name": "b", "gcePersistentDisk": {"pdName": "disk", "readOnly": true}},
      {"name": "c", "rbd": {"monitors": ["m1", "m2"], "image": "i"}},
      {"name": "d", "emptyDir": {}}]}})");
  ASSERT_TRUE(pod.ok()) << pod.error();
  EXPECT_THAT(pod->ties->volumes, ElementsAre(model::ClaimedVolume{"data", false},
                                              model::ClaimedVolume{"train-scratch", true}));
  EXPECT_THAT(pod->ties->disks, ElementsAre(model::NamedDisk{"gcePersistentDisk", "disk", true},
                                            model::NamedDisk{"rbd", "m1/rbd/i", false},
                                            model::NamedDisk{"rbd", "m2/rbd/i", false}));
}

}  // namespace
}  // namespace gs::kube
