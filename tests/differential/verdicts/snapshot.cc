#include "tests/differential/verdicts/snapshot.h"

#include <array>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "adapters/json/parse.h"
#include "adapters/kube/watch/watched_kind.h"

namespace gs::differential {
namespace {

namespace bj = boost::json;

using Kinds = std::map<std::string_view, kube::WatchedKind>;

constexpr std::array kFieldsOfStorage{
    std::pair{model::Kind::kVolumeClaim, "persistentVolumeClaims"},
    std::pair{model::Kind::kVolume, "persistentVolumes"},
    std::pair{model::Kind::kStorageClass, "storageClasses"},
    std::pair{model::Kind::kNodeDrivers, "csiNodes"},
    std::pair{model::Kind::kStorageDriver, "csiDrivers"},
    std::pair{model::Kind::kStorageCapacity, "csiStorageCapacities"},
    std::pair{model::Kind::kVolumeAttachment, "volumeAttachments"},
};

Kinds AllKinds() {
  Kinds kinds{{"namespaces", kube::Namespaces()}, {"nodes", kube::Nodes()}, {"pods", kube::Pods()}};
  for (const kube::WatchedKind& storage : kube::StorageKinds()) {
    for (const auto& [kind, field] : kFieldsOfStorage) {
      if (storage.kind == kind) kinds.emplace(field, storage);
    }
  }
  return kinds;
}

Result<Seen> See(const kube::WatchedKind& kind, const bj::value& object) {
  const std::string text = bj::serialize(object);
  const auto meta = kube::ReadObjectMeta(text);
  if (!meta) return meta.error();
  auto event = kind.decode_seen(*meta, text);
  if (!event) return std::move(event).error();
  return Seen{
      *std::move(event), kind.make_gone(*meta),
      std::string(ToString(kind.kind)) + "/" + meta->key.ns.text() + "/" + meta->key.name.text(),
      meta->uid.text()};
}

Result<void> SeeAll(std::string_view field, const bj::value& list, Snapshot& snapshot) {
  static const Kinds kKinds = AllKinds();
  const auto kind = kKinds.find(field);
  if (kind == kKinds.end() || !list.is_array()) {
    return Error(ErrorKind::kInvalid, "nothing is known of " + std::string(field));
  }
  for (const bj::value& object : list.get_array()) {
    auto seen = See(kind->second, object);
    if (!seen) return std::move(seen).error();
    snapshot.seen.push_back(*std::move(seen));
  }
  return {};
}

Result<void> SeePod(const bj::value& object, Snapshot& snapshot) {
  auto seen = See(kube::Pods(), object);
  if (!seen) return std::move(seen).error();
  snapshot.pod = std::get<model::PodSeen>(seen->event).pod;
  snapshot.seen.push_back(*std::move(seen));
  return {};
}

}  // namespace

Result<Snapshot> ReadSnapshot(std::string_view json) {
  const auto value = json::ParseJson(json);
  if (!value) return value.error();
  if (!value->is_object() || !value->get_object().contains("pod")) {
    return Error(ErrorKind::kInvalid, "expected an object with a pod");
  }
  Snapshot snapshot;
  for (const auto& [field, part] : value->get_object()) {
    auto done = field == "pod" ? SeePod(part, snapshot) : SeeAll(field, part, snapshot);
    if (!done) return std::move(done).error();
  }
  return snapshot;
}

}  // namespace gs::differential
