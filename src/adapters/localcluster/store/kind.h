// Kind: what the API offers of one kind of object, as data: the names it is called by, what can be
// done to it, and how it differs from the others. Kinds: all of them; custom resource definitions
// add to it while the cluster runs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/localcluster/store/status.h"
#include "adapters/localcluster/store/stored_object.h"
#include "adapters/runtime/mutex.h"

namespace gs::localcluster {

struct Kind {
  std::string group;  // "" for the core group
  std::string version;
  std::string plural;
  std::string singular;
  std::string kind;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  std::vector<std::string> subresources;  // "status", "scale", "binding", ...
  std::vector<std::string> verbs;         // all of them if none is named
  std::vector<std::string> fields;        // to select by, besides metadata.name and namespace
  bool is_namespaced = true;
  bool is_custom = false;
  bool has_generation = false;
  bool keeps_status_on_create = false;     // a node is registered with its status
  bool keeps_metadata_on_status = false;   // labels and annotations can come with the status
  bool is_updated_unconditionally = true;  // without a resourceVersion
  bool is_created_by_update = false;       // PUT of what is not there
  bool is_deleted_gracefully = false;      // pods
  bool is_returned_when_deleted = false;   // instead of a Status

  [[nodiscard]] std::string api_version() const {
    return group.empty() ? version : group + "/" + version;
  }
  // "pods", "deployments.apps"
  [[nodiscard]] std::string resource() const {
    return group.empty() ? plural : plural + "." + group;
  }
  [[nodiscard]] bool Has(std::string_view subresource) const;
  [[nodiscard]] bool Allows(std::string_view verb) const;
  [[nodiscard]] Subject Named(std::string_view name) const {
    return {.plural = plural, .group = group, .name = std::string(name)};
  }
  [[nodiscard]] ObjectKey Key(std::string_view ns, std::string_view name) const {
    return {.resource = resource(),
            .ns = is_namespaced ? std::string(ns) : std::string(),
            .name = std::string(name)};
  }
};

using KindPtr = std::shared_ptr<const Kind>;

// The kinds every cluster has.
[[nodiscard]] std::vector<Kind> BuiltInKinds();

// From any thread.
class Kinds {
 public:
  // With the built-in ones.
  Kinds();

  // Null if there is none.
  [[nodiscard]] KindPtr Find(std::string_view group, std::string_view version,
                             std::string_view plural) const;
  // By "pods" or "deployments.apps", in its first version.
  [[nodiscard]] KindPtr Find(std::string_view resource) const;
  // By apiVersion and kind, as an object or an owner reference names it.
  [[nodiscard]] KindPtr FindKind(std::string_view api_version, std::string_view kind) const;
  [[nodiscard]] std::vector<KindPtr> all() const;

  // All versions of a custom resource, in place of what was there of it.
  void Replace(const std::string& resource, std::vector<Kind> versions);
  void Remove(const std::string& resource) { Replace(resource, {}); }

 private:
  mutable runtime::Mutex mutex_;
  std::vector<KindPtr> kinds_ GS_GUARDED_BY(mutex_);
};

}  // namespace gs::localcluster
