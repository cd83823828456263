#include "adapters/kube/objects/decode_storage.h"

#include <algorithm>
#include <string>
#include <utility>

#include "adapters/kube/objects/decode_object.h"
#include "adapters/kube/objects/selectors.h"
#include "core/model/migrated_disks.h"

namespace gs::kube {
namespace {

constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr std::string_view kOldClass = "volume.beta.kubernetes.io/storage-class";

constexpr std::string_view kUnknownOperator = "has an operator that is not known";

std::optional<model::LabelSelector> ReadSelector(const JsonView& view) {
  if (!view.is_present()) return std::nullopt;
  auto selector = ReadLabelSelector(view);
  if (!selector) view.Fail(std::string(kUnknownOperator));
  return selector;
}

// The annotation is older than the field and still counts before it.
std::string ReadClass(const JsonView& root) {
  const JsonView old = root.Field("metadata").Field("annotations").Field(kOldClass);
  return old.is_present() ? old.Text() : root.Field("spec").Field("storageClassName").Text();
}

model::AccessModes ReadModes(const JsonView& list) {
  model::AccessModes modes;
  for (const JsonView& mode : list.Items()) modes.push_back(mode.Text());
  std::sort(modes.begin(), modes.end());
  return modes;
}

bool IsBlock(const JsonView& spec) { return spec.Field("volumeMode").Word() == "Block"; }

// At most one owner is the controller; a claim for an ephemeral volume is its pod's.
PodUid ReadOwner(const JsonView& owners) {
  for (const JsonView& owner : owners.Items()) {
    if (owner.Field("controller").Bool() && owner.Field("kind").Word() == "Pod") {
      return PodUid(owner.Field("uid").Text());
    }
  }
  return {};
}

model::VolumeClaim ReadVolumeClaim(const JsonView& root) {
  const JsonView metadata = root.Field("metadata");
  const JsonView annotations = metadata.Field("annotations");
  const JsonView spec = root.Field("spec");
  model::VolumeClaim claim;
  claim.ns = Namespace(metadata.Field("namespace").RequiredText());
  claim.name = metadata.Field("name").RequiredText();
  claim.uid = metadata.Field("uid").Text();
  claim.resource_version = ResourceVersion(metadata.Field("resourceVersion").Text());
  claim.is_terminating = metadata.Field("deletionTimestamp").is_present();
  claim.is_lost = root.Field("status").Field("phase").Word() == "Lost";
  claim.volume = spec.Field("volumeName").Text();
  claim.is_bound = !claim.volume.empty() && annotations.Field(kBindCompleted).is_present();
  claim.storage_class = ReadClass(root);
  claim.selected_node = NodeName(annotations.Field(kSelectedNode).Text());
  claim.owner = ReadOwner(metadata.Field("ownerReferences"));
  claim.access_modes = ReadModes(spec.Field("accessModes"));
  claim.bytes = spec.Field("resources").Field("requests").Field("storage").Amount().Value();
  claim.is_block = IsBlock(spec);
  claim.selector = ReadSelector(spec.Field("selector"));
  return claim;
}

std::vector<model::NodeSelectorTerm> ReadTerms(const JsonView& list) {
  std::vector<model::NodeSelectorTerm> terms;
  for (const JsonView& term : list.Items()) {
    auto labels = ReadRequirements(term.Field("matchExpressions"));
    auto fields = ReadRequirements(term.Field("matchFields"));
    if (!labels || !fields) term.Fail(std::string(kUnknownOperator));
    terms.push_back({.labels = std::move(labels).value_or(std::vector<model::Requirement>()),
                     .fields = std::move(fields).value_or(std::vector<model::Requirement>())});
  }
  return terms;
}

void ReadSource(const JsonView& spec, model::Volume& volume) {
  if (const JsonView csi = spec.Field("csi"); csi.is_present()) {
    volume.driver = csi.Field("driver").Text();
    volume.handle = csi.Field("volumeHandle").Text();
    return;
  }
  for (const auto& disk : model::kMigratedDisks) {
    const JsonView source = spec.Field(disk.kind);
    if (!source.is_present()) continue;
    volume.driver = disk.driver;
    volume.handle = source.Field(disk.id_field).Text();
  }
}

model::Volume ReadVolume(const JsonView& root) {
  const JsonView metadata = root.Field("metadata");
  const JsonView spec = root.Field("spec");
  model::Volume volume;
  volume.name = metadata.Field("name").RequiredText();
  volume.uid = metadata.Field("uid").Text();
  volume.resource_version = ResourceVersion(metadata.Field("resourceVersion").Text());
  volume.is_terminating = metadata.Field("deletionTimestamp").is_present();
  volume.is_available = root.Field("status").Field("phase").Word() == "Available";
  volume.labels = ReadLabels(metadata.Field("labels"));
  if (const JsonView required = spec.Field("nodeAffinity").Field("required");
      required.is_present()) {
    volume.node_affinity = ReadTerms(required.Field("nodeSelectorTerms"));
  }
  const JsonView claim = spec.Field("claimRef");
  volume.claim_ns = Namespace(claim.Field("namespace").Text());
  volume.claim_name = claim.Field("name").Text();
  volume.claim_uid = claim.Field("uid").Text();
  volume.storage_class = ReadClass(root);
  volume.access_modes = ReadModes(spec.Field("accessModes"));
  volume.bytes = spec.Field("capacity").Field("storage").Amount().Value();
  volume.is_block = IsBlock(spec);
  ReadSource(spec, volume);
  return volume;
}

// Topology terms know only keys and the values that they may have.
model::NodeSelectorTerm ReadTopologyTerm(const JsonView& term) {
  model::NodeSelectorTerm result;
  for (const JsonView& item : term.Field("matchLabelExpressions").Items()) {
    auto& requirement = result.labels.emplace_back();
    requirement.key = item.Field("key").RequiredText();
    for (const JsonView& value : item.Field("values").Items()) {
      requirement.values.push_back(value.Text());
    }
  }
  return result;
}

model::StorageClass ReadStorageClass(const JsonView& root) {
  model::StorageClass kind;
  kind.name = root.Field("metadata").Field("name").RequiredText();
  kind.provisioner = root.Field("provisioner").Text();
  kind.waits_for_consumer = root.Field("volumeBindingMode").Word() == "WaitForFirstConsumer";
  for (const JsonView& term : root.Field("allowedTopologies").Items()) {
    kind.allowed_topologies.push_back(ReadTopologyTerm(term));
  }
  return kind;
}

model::NodeDrivers ReadNodeDrivers(const JsonView& root) {
  model::NodeDrivers drivers;
  drivers.node = NodeName(root.Field("metadata").Field("name").RequiredText());
  for (const JsonView& driver : root.Field("spec").Field("drivers").Items()) {
    const JsonView count = driver.Field("allocatable").Field("count");
    auto& limit = drivers.limits[driver.Field("name").RequiredText()];
    if (count.is_present()) {
      limit = static_cast<std::int32_t>(count.Int({.min = 0, .max = kInt32Range.max}, 0));
    }
  }
  return drivers;
}

model::StorageDriver ReadStorageDriver(const JsonView& root) {
  return {.name = root.Field("metadata").Field("name").RequiredText(),
          .tells_capacity = root.Field("spec").Field("storageCapacity").Bool()};
}

std::optional<std::int64_t> ReadBytes(const JsonView& amount) {
  if (!amount.is_present()) return std::nullopt;
  return amount.Amount().Value();
}

model::StorageCapacity ReadStorageCapacity(const JsonView& root) {
  const JsonView metadata = root.Field("metadata");
  model::StorageCapacity capacity;
  capacity.ns = Namespace(metadata.Field("namespace").RequiredText());
  capacity.name = metadata.Field("name").RequiredText();
  capacity.storage_class = root.Field("storageClassName").Text();
  capacity.nodes = ReadSelector(root.Field("nodeTopology"));
  capacity.bytes = ReadBytes(root.Field("capacity"));
  capacity.largest_bytes = ReadBytes(root.Field("maximumVolumeSize"));
  return capacity;
}

model::VolumeAttachment ReadVolumeAttachment(const JsonView& root) {
  const JsonView spec = root.Field("spec");
  return {.name = root.Field("metadata").Field("name").RequiredText(),
          .node = NodeName(spec.Field("nodeName").Text()),
          .driver = spec.Field("attacher").Text(),
          .volume = spec.Field("source").Field("persistentVolumeName").Text()};
}

}  // namespace

Result<model::VolumeClaim> DecodeVolumeClaim(const JsonSource& json) {
  return DecodeObject<model::VolumeClaim>("volume claim", json, ReadVolumeClaim);
}

Result<model::Volume> DecodeVolume(const JsonSource& json) {
  return DecodeObject<model::Volume>("volume", json, ReadVolume);
}

Result<model::StorageClass> DecodeStorageClass(const JsonSource& json) {
  return DecodeObject<model::StorageClass>("storage class", json, ReadStorageClass);
}

Result<model::NodeDrivers> DecodeNodeDrivers(const JsonSource& json) {
  return DecodeObject<model::NodeDrivers>("drivers of node", json, ReadNodeDrivers);
}

Result<model::StorageDriver> DecodeStorageDriver(const JsonSource& json) {
  return DecodeObject<model::StorageDriver>("storage driver", json, ReadStorageDriver);
}

Result<model::StorageCapacity> DecodeStorageCapacity(const JsonSource& json) {
  return DecodeObject<model::StorageCapacity>("storage capacity", json, ReadStorageCapacity);
}

Result<model::VolumeAttachment> DecodeVolumeAttachment(const JsonSource& json) {
  return DecodeObject<model::VolumeAttachment>("volume attachment", json, ReadVolumeAttachment);
}

}  // namespace gs::kube
