#include "adapters/kube/watch/watched_kind.h"

#include <string>
#include <utility>

#include "adapters/json/object_reader.h"
#include "adapters/kube/objects/decode_object.h"
#include "adapters/kube/objects/decode_storage.h"
#include "core/model/names.h"

namespace gs::kube {
namespace {

// A Seen event from a decoder of objects/decode.h.
template <class Seen, class Decode>
auto SeenBy(Decode decode) {
  return [decode](const ObjectMeta&, const JsonSource& json) -> Result<model::Event> {
    auto object = decode(json);
    if (!object) return std::move(object).error();
    return model::Event(Seen{*std::move(object)});
  };
}

Result<model::Event> SeeMachine(const ObjectMeta& meta, const JsonSource& json) {
  auto status = DecodeNodeStatus(json);
  if (!status) return std::move(status).error();
  if (status->node.shared() != meta.key.name) {
    return Error(ErrorKind::kInvalid, "spec.nodeName: expected the object's own name, got " +
                                          json::Quoted(status->node.text()))
        .Advise("name the object after its node")
        .Within("node status " + json::Quoted(meta.key.name.text()));
  }
  if (!status->machine) {
    return model::Event(model::MachineGone{status->node, meta.resource_version});
  }
  return model::Event(model::MachineSeen{.node = std::move(status->node),
                                         .machine = *std::move(status->machine),
                                         .resource_version = meta.resource_version,
                                         .owner = std::move(status->owner),
                                         .reporter = std::move(status->reporter),
                                         .notes = std::move(status->notes)});
}

template <class Decode>
WatchedKind Storage(const Resource& resource, model::Kind kind, Decode decode) {
  return {.collection = {.resource = resource},
          .kind = kind,
          .may_be_missing = true,
          .may_be_forbidden = true,
          .decode_seen = SeenBy<model::StorageSeen>(decode),
          .make_gone = [kind](const ObjectMeta& meta) -> model::Event {
            return model::StorageGone{kind, Namespace(meta.key.ns), meta.key.name.text()};
          }};
}

Result<model::Event> SeeNamespace(const ObjectMeta& meta, const JsonSource& json) {
  auto labels = DecodeObject<model::Labels>("namespace", json, [](const JsonView& root) {
    return ReadLabels(root.Field("metadata").Field("labels"));
  });
  if (!labels) return std::move(labels).error();
  return model::Event(model::NamespaceSeen{Namespace(meta.key.name), *std::move(labels)});
}

// What cannot be read is wanted, so that its decoder says what is wrong with it.
bool IsGpuLease(const JsonSource& json) {
  const auto is_managed = DecodeObject<bool>("lease", json, [](const JsonView& root) {
    return root.Field("metadata").Field("labels").Field(model::names::kManagedLabel).Text() ==
           "true";
  });
  return !is_managed || *is_managed;
}

}  // namespace

WatchedKind Pods() {
  return {.collection = {.resource = kPods},
          .kind = model::Kind::kPod,
          .is_streamed = true,
          .decode_seen = SeenBy<model::PodSeen>(DecodePod),
          .make_gone = [](const ObjectMeta& meta) -> model::Event {
            return model::PodGone{
                {Namespace(meta.key.ns), PodName(meta.key.name), PodUid(meta.uid)},
                meta.resource_version};
          }};
}

WatchedKind Nodes() {
  return {.collection = {.resource = kNodes},
          .kind = model::Kind::kNode,
          .is_streamed = true,
          .decode_seen = SeenBy<model::NodeSeen>(DecodeNode),
          .make_gone = [](const ObjectMeta& meta) -> model::Event {
            return model::NodeGone{NodeName(meta.key.name)};
          }};
}

WatchedKind Claims() {
  return {.collection = {.resource = kClaims},
          .kind = model::Kind::kClaim,
          .may_be_missing = true,
          .decode_seen = SeenBy<model::ClaimSeen>(DecodeClaim),
          .make_gone = [](const ObjectMeta& meta) -> model::Event {
            return model::ClaimGone{Namespace(meta.key.ns), ClaimName(meta.key.name)};
          }};
}

WatchedKind Namespaces() {
  return {.collection = {.resource = kNamespaces},
          .kind = model::Kind::kNamespace,
          .decode_seen = SeeNamespace,
          .make_gone = [](const ObjectMeta& meta) -> model::Event {
            return model::NamespaceGone{Namespace(meta.key.name)};
          }};
}

WatchedKind Leases(Namespace ns) {
  return {.collection = {.resource = kLeases, .ns = std::move(ns)},
          .kind = model::Kind::kLease,
          .is_streamed = true,
          .is_wanted = IsGpuLease,
          .decode_seen = SeenBy<model::LeaseSeen>(DecodeLease),
          .make_gone = [](const ObjectMeta& meta) -> model::Event {
            return model::LeaseGone{LeaseName(meta.key.name), LeaseUid(meta.uid)};
          }};
}

WatchedKind Machines() {
  return {.collection = {.resource = kNodeStatuses},
          .kind = model::Kind::kMachine,
          .may_be_missing = true,
          .is_streamed = true,
          .decode_seen = SeeMachine,
          .make_gone = [](const ObjectMeta& meta) -> model::Event {
            return model::MachineGone{NodeName(meta.key.name), meta.resource_version};
          }};
}

std::vector<WatchedKind> StorageKinds() {
  using model::Kind;
  return {Storage(kVolumeClaims, Kind::kVolumeClaim, DecodeVolumeClaim),
          Storage(kVolumes, Kind::kVolume, DecodeVolume),
          Storage(kStorageClasses, Kind::kStorageClass, DecodeStorageClass),
          Storage(kCsiNodes, Kind::kNodeDrivers, DecodeNodeDrivers),
          Storage(kCsiDrivers, Kind::kStorageDriver, DecodeStorageDriver),
          Storage(kStorageCapacities, Kind::kStorageCapacity, DecodeStorageCapacity),
          Storage(kVolumeAttachments, Kind::kVolumeAttachment, DecodeVolumeAttachment)};
}

}  // namespace gs::kube
