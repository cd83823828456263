// Store: every object of the embedded cluster, in memory, with one revision that counts every
// change, as etcd counts. It knows no kinds and no rules: see Objects for what a create or a delete
// means.
//
// From any thread. A write is prepared without the lock and stored only if nobody was faster, so
// that writers wait for each other as long as it takes to swap a pointer. Every resource keeps its
// latest changes; watchers read them at their own pace, and one that is too slow learns that what
// it wants is gone.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/json/fwd.hpp>

#include "adapters/localcluster/store/history.h"
#include "adapters/localcluster/store/status.h"
#include "adapters/localcluster/store/stored_object.h"
#include "adapters/runtime/mutex.h"

namespace gs::localcluster {

// Objects in the order of "namespace/name", as they were at `revision`.
struct Listing {
  Revision revision = 0;
  std::vector<ObjectPtr> objects;
};

struct Changes {
  bool is_gone = false;         // some after the revision asked for are forgotten: list again
  Revision oldest = 0;          // the last one that is forgotten
  Revision through = 0;         // all changes of the resource up to here have been read
  std::vector<Change> changes;  // oldest first
};

// What is to become of an object.
struct Keep {};    // leave it as it is
struct Remove {};  // it goes; watchers get its last state
using Next = std::variant<Keep, Remove, boost::json::object>;

// Decides by the present state, null if there is none. Called again when somebody else was faster.
using Decide = std::function<Answer<Next>(const StoredObject* now)>;

struct Written {
  ObjectPtr object;  // as stored; the last state of what was removed; null if there never was one
  bool is_changed = false;
  bool is_removed = false;
};

struct StoreLimits {
  // Per resource: changes remembered, and bytes of states that only the memory keeps alive.
  std::size_t max_changes = 100'000;
  std::size_t max_old_bytes = std::size_t{32} << 20;
};

class Store {
 public:
  explicit Store(StoreLimits limits = {});
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  Store(Store&&) = delete;
  Store& operator=(Store&&) = delete;

  // By which fields the objects of a resource can be selected. Linear in those that are there.
  void DefineFields(const std::string& resource, std::vector<std::string> paths);

  [[nodiscard]] Revision revision() const;
  // Null if there is none.
  [[nodiscard]] ObjectPtr Get(const ObjectKey& key) const;
  // Of all namespaces if `ns` is empty. Linear in what is listed.
  [[nodiscard]] Listing List(const std::string& resource, std::string_view ns = {}) const;
  // As it was. Nothing if that is forgotten, or has not happened yet.
  [[nodiscard]] std::optional<Listing> ListAt(const std::string& resource, std::string_view ns,
                                              Revision revision) const;

  // Metadata must hold the key's name and namespace. The resourceVersion is the store's to fill.
  [[nodiscard]] Answer<Written> Write(const ObjectKey& key, const Decide& decide);

  // What happened after a revision, at most so many.
  [[nodiscard]] Changes ReadChanges(const std::string& resource, Revision after,
                                    std::size_t max) const;

  // Calls `wake` after every change of a resource ("": of any), on the thread that wrote, until the
  // handle is gone; one call may still be running then. So it must be short and own what it
  // touches.
  using Wake = std::function<void()>;
  using WakeHandle = std::shared_ptr<const Wake>;
  [[nodiscard]] WakeHandle OnChange(const std::string& resource, Wake wake);

 private:
  struct Shelf;
  [[nodiscard]] const Shelf* Find(const std::string& resource) const GS_REQUIRES(mutex_);
  Shelf& Of(const std::string& resource) GS_REQUIRES(mutex_);
  [[nodiscard]] std::vector<std::string> FieldsOf(const std::string& resource) const
      GS_EXCLUDES(mutex_);
  // Nothing if somebody was faster.
  std::optional<Written> Swap(const ObjectKey& key, const ObjectPtr& expected,
                              std::optional<StoredObject> draft) GS_EXCLUDES(mutex_);
  void WakeUp(const std::string& resource) const GS_EXCLUDES(mutex_);

  const StoreLimits limits_;
  mutable runtime::Mutex mutex_;
  Revision revision_ GS_GUARDED_BY(mutex_) = 1;
  std::map<std::string, std::unique_ptr<Shelf>, std::less<>> shelves_ GS_GUARDED_BY(mutex_);

  mutable runtime::Mutex wakes_mutex_;
  std::multimap<std::string, std::weak_ptr<const Wake>, std::less<>> wakes_
      GS_GUARDED_BY(wakes_mutex_);
};

}  // namespace gs::localcluster
