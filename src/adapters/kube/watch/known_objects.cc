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

bool KnownObjects::IsBehind(const ResourceVersion& version) const {
  return IsOlder(version, newest_);
}

bool KnownObjects::BeginList(const ResourceVersion& version) {
  if (IsBehind(version)) return false;
  ++list_;
  return true;
}

std::vector<ObjectMeta> KnownObjects::EndList(const ResourceVersion& version) {
  std::vector<ObjectMeta> gone;
  objects_.EraseIf([&](Known& known) {
    if (known.list == list_) return false;
    if (auto told = known.TakeTold()) gone.push_back(*std::move(told));
    return true;
  });
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
  const Known* known = objects_.Find(object.key);
  if (known == nullptr) return std::nullopt;
  // An earlier namesake was deleted before this one came; a later one can only have come, and gone,
  // after it.
  if (IsOlder(object.resource_version, known->meta.resource_version)) return std::nullopt;
  return objects_.Take(object.key)->TakeTold();
}

bool KnownObjects::Bookmarked(const ResourceVersion& version) {
  if (IsOlder(version, reached_)) return false;
  Reach(version);
  return true;
}

void KnownObjects::MarkTold(const ObjectKey& key) { objects_.Find(key)->is_told = 1; }

std::optional<ObjectMeta> KnownObjects::Untell(const ObjectKey& key) {
  Known& known = *objects_.Find(key);
  if (known.is_told == 0) return std::nullopt;
  known.is_told = 0;
  return known.meta;
}

std::vector<ObjectMeta> KnownObjects::Clear() {
  std::vector<ObjectMeta> gone;
  objects_.EraseIf([&](Known& known) {
    if (auto told = known.TakeTold()) gone.push_back(*std::move(told));
    return true;
  });
  return gone;
}

KnownObjects::News KnownObjects::Note(const ObjectMeta& object) {
  auto [known, is_new] = objects_.FindOrAdd(object.key, [&] { return Known{.meta = object}; });
  known.list = list_;
  if (!is_new && IsNoNewer(object.resource_version, known.meta.resource_version)) return {};
  News news{.gone = std::nullopt, .is_object_news = true};
  if (!is_new && known.meta.uid != object.uid) {
    if (known.is_told != 0) news.gone = known.meta;
    known.is_told = 0;
  }
  known.meta.uid = object.uid;
  known.meta.resource_version = object.resource_version;
  if (!IsOlder(object.resource_version, newest_)) newest_ = object.resource_version;
  return news;
}

std::optional<ObjectMeta> KnownObjects::Known::TakeTold() {
  return is_told != 0 ? std::optional(std::move(meta)) : std::nullopt;
}

void KnownObjects::Reach(const ResourceVersion& version) {
  reached_ = version;
  if (!IsOlder(version, newest_)) newest_ = version;
}

}  // namespace gs::kube
