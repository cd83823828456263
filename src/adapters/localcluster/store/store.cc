#include "adapters/localcluster/store/store.h"

#include <boost/json/object.hpp>
#include <utility>

#include "adapters/localcluster/store/object_text.h"
#include "base/check.h"

namespace gs::localcluster {
namespace {

using runtime::MutexLock;

// The order of etcd's keys, where '/' comes after '-' and '.'.
std::string PathOf(std::string_view ns, std::string_view name) {
  std::string path(ns);
  path += '/';
  path += name;
  return path;
}

}  // namespace

struct Store::Shelf {
  Shelf(Revision start, const StoreLimits& limits)
      : history(start, limits.max_changes, limits.max_old_bytes) {}

  std::vector<std::string> fields;
  std::map<std::string, ObjectPtr, std::less<>> objects;  // by PathOf
  History history;
};

Store::Store(StoreLimits limits) : limits_(limits) {}
Store::~Store() = default;

const Store::Shelf* Store::Find(const std::string& resource) const {
  const auto found = shelves_.find(resource);
  return found == shelves_.end() ? nullptr : found->second.get();
}

Store::Shelf& Store::Of(const std::string& resource) {
  auto& shelf = shelves_[resource];
  // Nothing has happened to a resource that is new, so that it can be watched from the beginning.
  if (!shelf) shelf = std::make_unique<Shelf>(0, limits_);
  return *shelf;
}

void Store::DefineFields(const std::string& resource, std::vector<std::string> paths) {
  const MutexLock lock(mutex_);
  Shelf& shelf = Of(resource);
  if (shelf.fields == paths) return;
  shelf.fields = std::move(paths);
  for (auto& entry : shelf.objects) {
    auto again = std::make_shared<StoredObject>(*entry.second);
    again->fields = DraftObject(ParseStored(again->text), shelf.fields).fields;
    entry.second = std::move(again);
  }
}

std::vector<std::string> Store::FieldsOf(const std::string& resource) const {
  const MutexLock lock(mutex_);
  const Shelf* shelf = Find(resource);
  return shelf == nullptr ? std::vector<std::string>() : shelf->fields;
}

Revision Store::revision() const {
  const MutexLock lock(mutex_);
  return revision_;
}

ObjectPtr Store::Get(const ObjectKey& key) const {
  const std::string path = PathOf(key.ns, key.name);
  const MutexLock lock(mutex_);
  const Shelf* shelf = Find(key.resource);
  if (shelf == nullptr) return nullptr;
  const auto found = shelf->objects.find(path);
  return found == shelf->objects.end() ? nullptr : found->second;
}

Listing Store::List(const std::string& resource, std::string_view ns) const {
  const std::string prefix = ns.empty() ? std::string() : PathOf(ns, "");
  const MutexLock lock(mutex_);
  Listing listing{.revision = revision_, .objects = {}};
  const Shelf* shelf = Find(resource);
  if (shelf == nullptr) return listing;
  if (prefix.empty()) listing.objects.reserve(shelf->objects.size());
  for (auto it = shelf->objects.lower_bound(prefix); it != shelf->objects.end(); ++it) {
    if (!it->first.starts_with(prefix)) break;
    listing.objects.push_back(it->second);
  }
  return listing;
}

std::optional<Listing> Store::ListAt(const std::string& resource, std::string_view ns,
                                     Revision revision) const {
  std::map<std::string, ObjectPtr, std::less<>> objects;
  {
    const MutexLock lock(mutex_);
    if (revision > revision_) return std::nullopt;
    const Shelf* shelf = Find(resource);
    if (shelf == nullptr) return Listing{.revision = revision, .objects = {}};
    if (!shelf->history.Reaches(revision)) return std::nullopt;
    objects = shelf->objects;
    shelf->history.ReadBack(revision, [&](const Change& change) {
      auto& slot = objects[PathOf(change.object->ns, change.object->name)];
      slot = change.before;
    });
  }
  Listing listing{.revision = revision, .objects = {}};
  for (const auto& [path, object] : objects) {
    if (object && (ns.empty() || object->ns == ns)) listing.objects.push_back(object);
  }
  return listing;
}

Answer<Written> Store::Write(const ObjectKey& key, const Decide& decide) {
  const auto fields = FieldsOf(key.resource);
  while (true) {
    const ObjectPtr now = Get(key);
    auto next = decide(now.get());
    if (!next) return next.status();
    if (std::holds_alternative<Keep>(*next)) {
      return Written{.object = now, .is_changed = false, .is_removed = false};
    }
    std::optional<StoredObject> draft;
    if (const auto* object = std::get_if<boost::json::object>(&*next)) {
      draft = DraftObject(*object, fields);
      GS_CHECK(draft->name == key.name && draft->ns == key.ns);
      if (now && IsSame(*draft, *now)) {
        return Written{.object = now, .is_changed = false, .is_removed = false};
      }
    } else if (!now) {
      return Written{};
    }
    if (auto written = Swap(key, now, std::move(draft))) {
      WakeUp(key.resource);
      return *std::move(written);
    }
  }
}

std::optional<Written> Store::Swap(const ObjectKey& key, const ObjectPtr& expected,
                                   std::optional<StoredObject> draft) {
  const bool is_removal = !draft.has_value();
  if (is_removal) {
    // Its last state, ready for the revision of the deletion.
    draft = *expected;
    draft->text.erase(draft->revision_at, draft->revision_size);
  }
  const std::string path = PathOf(key.ns, key.name);
  auto made = std::make_shared<StoredObject>(*std::move(draft));
  const MutexLock lock(mutex_);
  Shelf& shelf = Of(key.resource);
  const auto found = shelf.objects.find(path);
  const ObjectPtr now = found == shelf.objects.end() ? nullptr : found->second;
  if (now != expected) return std::nullopt;
  FillRevision(*made, ++revision_);
  if (is_removal) {
    shelf.objects.erase(found);
  } else if (now) {
    found->second = made;
  } else {
    shelf.objects.emplace(path, made);
  }
  const auto kind = is_removal ? ChangeKind::kDeleted
                    : now      ? ChangeKind::kModified
                               : ChangeKind::kAdded;
  shelf.history.Add({.kind = kind, .object = made, .before = now});
  return Written{.object = made, .is_changed = true, .is_removed = is_removal};
}

Changes Store::ReadChanges(const std::string& resource, Revision after, std::size_t max) const {
  const MutexLock lock(mutex_);
  Changes changes{.is_gone = false, .oldest = 0, .through = revision_, .changes = {}};
  const Shelf* shelf = Find(resource);
  if (shelf == nullptr) return changes;
  changes.oldest = shelf->history.forgotten();
  if (!shelf->history.Reaches(after)) {
    changes.is_gone = true;
    return changes;
  }
  shelf->history.Read(after, max, changes.changes);
  // There may be more than were asked for.
  if (changes.changes.size() == max && max > 0) {
    changes.through = changes.changes.back().object->revision;
  }
  return changes;
}

Store::WakeHandle Store::OnChange(const std::string& resource, Wake wake) {
  auto handle = std::make_shared<const Wake>(std::move(wake));
  const MutexLock lock(wakes_mutex_);
  wakes_.emplace(resource, handle);
  // Handles that are gone are swept when a new one comes.
  std::erase_if(wakes_, [](const auto& entry) { return entry.second.expired(); });
  return handle;
}

void Store::WakeUp(const std::string& resource) const {
  std::vector<WakeHandle> awake;
  {
    const MutexLock lock(wakes_mutex_);
    for (const auto& name : {std::string(), resource}) {
      const auto [first, last] = wakes_.equal_range(name);
      for (auto it = first; it != last; ++it) {
        if (auto handle = it->second.lock()) awake.push_back(std::move(handle));
      }
    }
  }
  for (const auto& handle : awake) (*handle)();
}

}  // namespace gs::localcluster
