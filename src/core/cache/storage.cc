#include "core/cache/storage.h"

#include <algorithm>
#include <variant>

#include "core/model/migrated_disks.h"

namespace gs::cache {
namespace {

template <class Objects, class Key>
auto FindIn(const Objects& objects, const Key& key) -> const typename Objects::mapped_type* {
  const auto entry = objects.find(key);
  return entry == objects.end() ? nullptr : &entry->second;
}

// Versions move without anything that matters.
template <class Object>
bool IsSame(Object a, const Object& b) {
  if constexpr (requires { a.resource_version; }) a.resource_version = b.resource_version;
  return a == b;
}

VolumeClaimKey KeyOf(const model::VolumeClaim& claim) { return {claim.ns, claim.name}; }
VolumeClaimKey ClaimOf(const model::Volume& volume) { return {volume.claim_ns, volume.claim_name}; }

// The driver that makes the volumes of a class.
std::string DriverOf(const std::string& provisioner) {
  for (const auto& disk : model::kMigratedDisks) {
    if (provisioner == disk.plugin) return std::string(disk.driver);
  }
  return provisioner;
}

}  // namespace

std::optional<Attachment> AttachmentOf(const model::NamedDisk& disk) {
  for (const auto& each : model::kMigratedDisks) {
    if (each.kind == disk.kind) return Attachment{std::string(each.driver), disk.id};
  }
  return std::nullopt;
}

template <class Key, class Object>
bool Storage::Set(std::map<Key, Object>& objects, Key key, const Object& object) {
  const auto [entry, is_new] = objects.try_emplace(std::move(key), object);
  if (is_new) return true;
  const bool is_same = IsSame(entry->second, object);
  entry->second = object;
  return !is_same;
}

class Storage::Viewer {
 public:
  explicit Viewer(Storage& storage) : storage_(storage) {}

  bool operator()(const model::VolumeClaim& claim) {
    const bool is_news = storage_.Set(storage_.claims_, KeyOf(claim), claim);
    if (is_news) storage_.Reattach(KeyOf(claim));
    return is_news;
  }
  bool operator()(const model::Volume& volume) {
    const model::Volume* old = storage_.FindVolume(volume.name);
    const auto old_claim = old == nullptr ? VolumeClaimKey() : ClaimOf(*old);
    if (old != nullptr) storage_.volumes_of_[old->storage_class].erase(volume.name);
    storage_.volumes_of_[volume.storage_class].insert(volume.name);
    const bool is_news = storage_.Set(storage_.volumes_, volume.name, volume);
    if (is_news) {
      storage_.Reattach(old_claim);
      storage_.Reattach(ClaimOf(volume));
    }
    return is_news;
  }
  bool operator()(const model::StorageClass& kind) {
    const bool is_news = storage_.Set(storage_.classes_, kind.name, kind);
    if (is_news) ReattachAll();
    return is_news;
  }
  bool operator()(const model::NodeDrivers& drivers) {
    return storage_.Set(storage_.node_drivers_, drivers.node, drivers);
  }
  bool operator()(const model::StorageDriver& driver) {
    return storage_.Set(storage_.drivers_, driver.name, driver);
  }
  bool operator()(const model::StorageCapacity& capacity) {
    return storage_.Set(storage_.capacities_, VolumeClaimKey(capacity.ns, capacity.name), capacity);
  }
  // One more helps nobody.
  bool operator()(const model::VolumeAttachment& attachment) {
    const model::VolumeAttachment* old = FindIn(storage_.attachments_, attachment.name);
    if (old != nullptr && *old == attachment) return false;
    const bool has_freed = storage_.Detach(attachment.name);
    storage_.attachments_.emplace(attachment.name, attachment);
    storage_.attachments_of_[attachment.node].insert(attachment.name);
    return has_freed;
  }

  // Classes are few and hardly ever change.
  void ReattachAll() {
    for (const auto& [claim, use] : storage_.uses_) storage_.Reattach(claim);
  }

 private:
  Storage& storage_;
};

bool Storage::See(const model::StorageObject& object) { return std::visit(Viewer(*this), object); }

bool Storage::Lose(const model::StorageGone& gone) {
  const VolumeClaimKey key(gone.ns, gone.name);
  switch (gone.kind) {
    case model::Kind::kVolumeClaim:
      if (claims_.erase(key) == 0) return false;
      Reattach(key);
      return true;
    case model::Kind::kVolume: {
      const auto entry = volumes_.extract(gone.name);
      if (entry.empty()) return false;
      volumes_of_[entry.mapped().storage_class].erase(gone.name);
      Reattach(ClaimOf(entry.mapped()));
      return true;
    }
    case model::Kind::kStorageClass:
      if (classes_.erase(gone.name) == 0) return false;
      Viewer(*this).ReattachAll();
      return true;
    case model::Kind::kNodeDrivers: return node_drivers_.erase(NodeName(gone.name)) > 0;
    case model::Kind::kStorageDriver: return drivers_.erase(gone.name) > 0;
    case model::Kind::kStorageCapacity: return capacities_.erase(key) > 0;
    case model::Kind::kVolumeAttachment: return Detach(gone.name);
    default: return false;
  }
}

bool Storage::Detach(const std::string& attachment) {
  const auto gone = attachments_.extract(attachment);
  if (gone.empty()) return false;
  const auto of_node = attachments_of_.find(gone.mapped().node);
  of_node->second.erase(attachment);
  if (of_node->second.empty()) attachments_of_.erase(of_node);
  return true;
}

// --- who uses what -------------------------------------------------------------------------------

void Storage::SetPlace(const model::PodRef& pod, const NodeName& node, const model::PodTies& ties) {
  EndUse(pod.uid);
  if (node.empty() || (ties.volumes.empty() && ties.disks.empty())) return;
  PodUse& use = pods_[pod.uid];
  use.node = node;
  use.disks = ties.disks;
  for (const auto& volume : ties.volumes) use.claims.emplace(pod.ns, volume.claim);
  for (const VolumeClaimKey& claim : use.claims) {
    const auto [entry, is_new] = uses_.try_emplace(claim);
    if (is_new) entry->second.attachment = AttachmentOf(claim);
    entry->second.pods.insert(pod);
    ++entry->second.nodes[node];
    Attach(node, entry->second.attachment, 1);
  }
  for (const auto& disk : use.disks) UseDisk(node, disk, 1);
}

void Storage::EndUse(const PodUid& pod) {
  const auto ended = pods_.extract(pod);
  if (ended.empty()) return;
  const PodUse& use = ended.mapped();
  for (const VolumeClaimKey& claim : use.claims) {
    const auto entry = uses_.find(claim);
    Attach(use.node, entry->second.attachment, -1);
    if (--entry->second.nodes[use.node] == 0) entry->second.nodes.erase(use.node);
    std::erase_if(entry->second.pods, [&pod](const auto& user) { return user.uid == pod; });
    if (entry->second.pods.empty()) uses_.erase(entry);
  }
  for (const auto& disk : use.disks) UseDisk(use.node, disk, -1);
  DropIfEmpty(use.node);
}

void Storage::Attach(const NodeName& node, const std::optional<Attachment>& attachment, int pods) {
  if (!attachment) return;
  auto& of_driver = nodes_[node].attached[attachment->driver];
  if ((of_driver[attachment->handle] += pods) == 0) of_driver.erase(attachment->handle);
  if (of_driver.empty()) nodes_[node].attached.erase(attachment->driver);
}

void Storage::UseDisk(const NodeName& node, const model::NamedDisk& disk, int pods) {
  Attach(node, cache::AttachmentOf(disk), pods);
  auto& disks = nodes_[node].disks;
  DiskUse& use = disks[{disk.kind, disk.id}];
  (disk.is_read_only ? use.readers : use.writers) += pods;
  if (use.readers == 0 && use.writers == 0) disks.erase({disk.kind, disk.id});
}

void Storage::Reattach(const VolumeClaimKey& claim) {
  const auto entry = uses_.find(claim);
  if (entry == uses_.end()) return;
  ClaimUse& use = entry->second;
  const auto before = std::exchange(use.attachment, AttachmentOf(claim));
  if (before == use.attachment) return;
  for (const auto& [node, pods] : use.nodes) {
    Attach(node, before, -pods);
    Attach(node, use.attachment, pods);
  }
}

void Storage::DropIfEmpty(const NodeName& node) {
  const auto entry = nodes_.find(node);
  if (entry == nodes_.end()) return;
  if (entry->second.attached.empty() && entry->second.disks.empty()) nodes_.erase(entry);
}

std::optional<Attachment> Storage::AttachmentOf(const VolumeClaimKey& key) const {
  const model::VolumeClaim* claim = FindClaim(key);
  if (claim == nullptr) return std::nullopt;
  if (const model::Volume* volume = FindVolume(claim->volume)) {
    if (volume->driver.empty() || volume->handle.empty()) return std::nullopt;
    return Attachment{volume->driver, volume->handle};
  }
  // It will be of the driver that makes it. No handle has a blank.
  const model::StorageClass* kind = FindClass(claim->storage_class);
  if (kind == nullptr || kind->provisioner.empty()) return std::nullopt;
  return Attachment{DriverOf(kind->provisioner),
                    "claim " + model::InNamespace(claim->ns, claim->name)};
}

// --- our own decisions ---------------------------------------------------------------------------

void Storage::Assume(const model::PodRef& pod, const NodeName& node, const VolumeChoice& choice) {
  const auto decide = [&](const std::string& claim, const Decision& decision) {
    const VolumeClaimKey key(pod.ns, claim);
    // Whoever decided first carries it out.
    if (!decisions_.try_emplace(key, decision).second) return;
    decided_[pod.uid].push_back(key);
    if (!decision.volume.empty()) taken_.insert_or_assign(decision.volume, key);
  };
  for (const auto& match : choice.matches) decide(match.claim, {pod.uid, {}, match.volume});
  for (const auto& claim : choice.to_make) decide(claim, {pod.uid, node, ""});
}

bool Storage::TakeBack(const PodUid& pod) {
  const auto decided = decided_.extract(pod);
  if (decided.empty()) return false;
  for (const VolumeClaimKey& claim : decided.mapped()) {
    const auto decision = decisions_.extract(claim);
    taken_.erase(decision.mapped().volume);
  }
  return true;
}

const VolumeClaimKey* Storage::AssumedClaimOf(const std::string& volume) const {
  return FindIn(taken_, volume);
}

NodeName Storage::SelectedNodeOf(const model::VolumeClaim& claim) const {
  if (!claim.selected_node.empty()) return claim.selected_node;
  const Decision* decision = FindIn(decisions_, KeyOf(claim));
  return decision == nullptr ? NodeName() : decision->node;
}

const PodUid* Storage::DeciderOf(const VolumeClaimKey& claim) const {
  const Decision* decision = FindIn(decisions_, claim);
  return decision == nullptr ? nullptr : &decision->pod;
}

// --- what was seen -------------------------------------------------------------------------------

const model::VolumeClaim* Storage::FindClaim(const VolumeClaimKey& key) const {
  return FindIn(claims_, key);
}
const model::Volume* Storage::FindVolume(const std::string& name) const {
  return FindIn(volumes_, name);
}
const model::StorageClass* Storage::FindClass(const std::string& name) const {
  return FindIn(classes_, name);
}
const model::StorageDriver* Storage::FindDriver(const std::string& name) const {
  return FindIn(drivers_, name);
}
const model::NodeDrivers* Storage::FindNodeDrivers(const NodeName& node) const {
  return FindIn(node_drivers_, node);
}

const std::set<std::string>& Storage::VolumesOf(const std::string& storage_class) const {
  static const std::set<std::string> kNone;
  const auto* volumes = FindIn(volumes_of_, storage_class);
  return volumes == nullptr ? kNone : *volumes;
}

const std::set<model::PodRef>& Storage::UsersOf(const VolumeClaimKey& claim) const {
  static const std::set<model::PodRef> kNone;
  const ClaimUse* use = FindIn(uses_, claim);
  return use == nullptr ? kNone : use->pods;
}

std::set<std::string> Storage::HandlesOn(const NodeName& node, const std::string& driver) const {
  std::set<std::string> handles;
  const auto& attached = On(node).attached;
  if (const auto in_use = attached.find(driver); in_use != attached.end()) {
    for (const auto& [handle, pods] : in_use->second) handles.insert(handle);
  }
  const auto left = attachments_of_.find(node);
  if (left == attachments_of_.end()) return handles;
  for (const std::string& name : left->second) {
    const model::VolumeAttachment& attachment = attachments_.at(name);
    const model::Volume* volume = FindVolume(attachment.volume);
    if (attachment.driver != driver || volume == nullptr || volume->handle.empty()) continue;
    handles.insert(volume->handle);
  }
  return handles;
}

const NodeStorage& Storage::On(const NodeName& node) const {
  static const NodeStorage kNothing;
  const NodeStorage* storage = FindIn(nodes_, node);
  return storage == nullptr ? kNothing : *storage;
}

}  // namespace gs::cache
