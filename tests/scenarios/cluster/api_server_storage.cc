#include <array>
#include <variant>

#include "tests/scenarios/cluster/api_server.h"

namespace gs::scenarios {
namespace {

using model::Kind;
using model::WriteOutcome;

struct Namer {
  template <class Object>
  std::pair<Namespace, std::string> operator()(const Object& object) const {
    if constexpr (requires { object.ns; }) {
      return {object.ns, object.name};
    } else if constexpr (requires { object.name; }) {
      return {{}, object.name};
    } else {
      return {{}, object.node.text()};
    }
  }
};

// In the order of the alternatives.
constexpr std::array kKinds{Kind::kVolumeClaim,     Kind::kVolume,        Kind::kStorageClass,
                            Kind::kNodeDrivers,     Kind::kStorageDriver, Kind::kStorageCapacity,
                            Kind::kVolumeAttachment};
static_assert(kKinds.size() == std::variant_size_v<model::StorageObject>);

constexpr std::string_view kHostname = "kubernetes.io/hostname";

model::Volume VolumeFor(const model::VolumeClaim& claim) {
  model::Volume volume;
  volume.name = "pv-" + claim.name;
  volume.claim_ns = claim.ns;
  volume.claim_name = claim.name;
  volume.claim_uid = claim.uid;
  volume.storage_class = claim.storage_class;
  volume.access_modes = claim.access_modes;
  volume.bytes = claim.bytes;
  volume.driver = "d.example";
  volume.handle = volume.name;
  volume.node_affinity = {
      {.labels = {{.key = std::string(kHostname), .values = {claim.selected_node.text()}}},
       .fields = {}}};
  return volume;
}

bool IsFor(const model::Volume& volume, const model::VolumeClaim& claim) {
  return volume.claim_ns == claim.ns && volume.claim_name == claim.name &&
         volume.claim_uid == claim.uid;
}

}  // namespace

template <class Object>
Object* ApiServer::FindStorage(Kind kind, const Namespace& ns, const std::string& name) {
  const auto entry = storage_.find({kind, ns, name});
  return entry == storage_.end() ? nullptr : &std::get<Object>(entry->second);
}

void ApiServer::Store(const StorageKey& key, model::StorageObject object) {
  ++revision_;
  if (auto* claim = std::get_if<model::VolumeClaim>(&object)) claim->resource_version = version();
  if (auto* volume = std::get_if<model::Volume>(&object)) volume->resource_version = version();
  Tell(std::get<Kind>(key), model::StorageSeen{object});
  storage_.insert_or_assign(key, std::move(object));
}

void ApiServer::Put(model::StorageObject object) {
  auto [ns, name] = std::visit(Namer(), object);
  const Kind kind = kKinds.at(object.index());
  if (auto* claim = std::get_if<model::VolumeClaim>(&object)) {
    const auto* known = FindStorage<model::VolumeClaim>(kind, ns, name);
    claim->uid = known != nullptr ? known->uid : "claim-" + std::to_string(++uids_);
    // Who makes a claim for a pod knows its UID; scenario files name the pod.
    const auto owner = pods_.find({ns, PodName(claim->owner.text())});
    if (owner != pods_.end()) claim->owner = owner->second.ref.uid;
  }
  Store({kind, std::move(ns), std::move(name)}, std::move(object));
}

void ApiServer::RemoveStorage(Kind kind, const Namespace& ns, const std::string& name) {
  if (storage_.erase({kind, ns, name}) == 0) return;
  ++revision_;
  Tell(kind, model::StorageGone{kind, ns, name});
}

const model::VolumeClaim* ApiServer::FindVolumeClaim(const Namespace& ns,
                                                     const std::string& name) const {
  const auto entry = storage_.find({Kind::kVolumeClaim, ns, name});
  return entry == storage_.end() ? nullptr : &std::get<model::VolumeClaim>(entry->second);
}

void ApiServer::BindVolume(const Namespace& ns, const std::string& name) {
  const auto* found = FindStorage<model::VolumeClaim>(Kind::kVolumeClaim, ns, name);
  if (found == nullptr || found->is_bound) return;
  model::VolumeClaim claim = *found;
  for (const auto& [key, object] : storage_) {
    const auto* volume = std::get_if<model::Volume>(&object);
    if (volume != nullptr && IsFor(*volume, claim)) claim.volume = volume->name;
  }
  if (claim.volume.empty() && claim.selected_node.empty()) return;
  if (claim.volume.empty()) {
    const model::Volume made = VolumeFor(claim);
    claim.volume = made.name;
    Put(made);
  }
  claim.is_bound = true;
  Store({Kind::kVolumeClaim, ns, name}, claim);
}

std::optional<model::Event> ApiServer::Select(const model::SelectNode& select) {
  const auto* found =
      FindStorage<model::VolumeClaim>(Kind::kVolumeClaim, select.pod.ns, select.claim);
  if (found == nullptr) return AnswerTo(select, WriteOutcome::kNotFound);
  if (found->resource_version != select.resource_version) {
    return AnswerTo(select, WriteOutcome::kConflict);
  }
  model::VolumeClaim claim = *found;
  claim.selected_node = select.node;
  Store({Kind::kVolumeClaim, select.pod.ns, select.claim}, claim);
  return model::StorageAnswered{select.attempt, select.pod.ns, select.claim, WriteOutcome::kDone,
                                version()};
}

std::optional<model::Event> ApiServer::Reserve(const model::ReserveVolume& reserve) {
  const auto* found = FindStorage<model::Volume>(Kind::kVolume, {}, reserve.volume);
  if (found == nullptr) return AnswerTo(reserve, WriteOutcome::kNotFound);
  if (found->resource_version != reserve.resource_version) {
    return AnswerTo(reserve, WriteOutcome::kConflict);
  }
  model::Volume volume = *found;
  volume.claim_ns = reserve.pod.ns;
  volume.claim_name = reserve.claim;
  volume.claim_uid = reserve.claim_uid;
  Store({Kind::kVolume, {}, reserve.volume}, volume);
  return model::StorageAnswered{reserve.attempt, reserve.pod.ns, reserve.claim, WriteOutcome::kDone,
                                version()};
}

}  // namespace gs::scenarios
