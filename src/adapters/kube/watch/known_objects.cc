#include "adapters/kube/watch/known_objects.h"

#include <utility>

#include "base/resource_version.h"

namespace gs::kube {
namespace {

bool IsOlder(const ResourceVersion& a, const ResourceVersion& b) {
  return CompareVersions(a, b) == std::partial_ordering::less;
}

bool IsNoNewer(const ResourceVersion& a, const ResourceVersion& b) {
  return IsOlder(a, b) || a == b;
}

}  // namespace

bool KnownObjects::BeginList(const ResourceVersion& version) {
  if (IsOlder(version, newest_)) return false;
  ++list_;
  return true;
}

KnownObjects::News KnownObjects::Listed(const ObjectMeta& object) { return Note(object); }

std::vector<ObjectMeta> KnownObjects::EndList(const ResourceVersion& version) {
  std::vector<ObjectMeta> gone;
  for (auto known = objects_.begin(); known != objects_.end();) {
    const auto here = known++;
    if (here->second.list == list_) continue;
    if (auto removed = Remove(here)) gone.push_back(*std::move(removed));
  }
  Reach(version);
  return gone;
}

KnownObjects::News KnownObjects::Watched(const ObjectMeta& object) {
  // All up to there was told, deletions included: an old frame must not bring anything back.
  if (IsNoNewer(object.resource_version, reached_)) return {};
  Reach(object.resource_version);
  return Note(object);
}

std::optional<ObjectMeta> KnownObjects::Deleted(const ObjectMeta& object) {
  if (!IsOlder(object.resource_version, reached_)) Reach(object.resource_version);
  const auto known = objects_.find(object.key);
  if (known == objects_.end()) return std::nullopt;
  // An earlier namesake was deleted before this one came; a later one can only have come, and gone,
  // after it.
  if (IsOlder(object.resource_version, known->second.version)) return std::nullopt;
  return Remove(known);
}

bool KnownObjects::Bookmarked(const ResourceVersion& version) {
  if (IsOlder(version, reached_)) return false;
  Reach(version);
  return true;
}

void KnownObjects::MarkTold(const ObjectKey& key) { objects_.at(key).is_told = true; }

std::optional<ObjectMeta> KnownObjects::Untell(const ObjectKey& key) {
  Known& known = objects_.at(key);
  if (!std::exchange(known.is_told, false)) return std::nullopt;
  return ObjectMeta{key, known.uid, known.version};
}

std::vector<ObjectMeta> KnownObjects::Clear() {
  std::vector<ObjectMeta> gone;
  while (!objects_.empty()) {
    if (auto removed = Remove(objects_.begin())) gone.push_back(*std::move(removed));
  }
  return gone;
}

KnownObjects::News KnownObjects::Note(const ObjectMeta& object) {
  const std::size_t before = objects_.size();
  // Lists are in the order of keys, so that most of what is new comes behind all others.
  Known& known = objects_.try_emplace(objects_.end(), object.key)->second;
  const bool is_new = objects_.size() > before;
  known.list = list_;
  if (!is_new && IsNoNewer(object.resource_version, known.version)) return {};
  News news{.gone = std::nullopt, .is_object_news = true};
  if (!is_new && known.uid != object.uid) {
    if (known.is_told) news.gone = {object.key, known.uid, known.version};
    known.is_told = false;
  }
  known.uid = object.uid;
  known.version = object.resource_version;
  if (!IsOlder(known.version, newest_)) newest_ = known.version;
  return news;
}

std::optional<ObjectMeta> KnownObjects::Remove(Objects::iterator known) {
  std::optional<ObjectMeta> gone;
  if (known->second.is_told) {
    gone = {known->first, std::move(known->second.uid), std::move(known->second.version)};
  }
  objects_.erase(known);
  return gone;
}

void KnownObjects::Reach(const ResourceVersion& version) {
  reached_ = version;
  if (!IsOlder(version, newest_)) newest_ = version;
}

}  // namespace gs::kube
