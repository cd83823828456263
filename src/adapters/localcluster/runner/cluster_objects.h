// ClusterObjects: the objects of the cluster as controllers read and write them: whole, as JSON, by
// kind and name, with their writes carried out by the same rules as those of everybody else.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "adapters/localcluster/objects/write.h"
#include "adapters/localcluster/store/objects.h"

namespace gs::localcluster {

class ClusterObjects {
 public:
  // Which must outlive it.
  explicit ClusterObjects(Objects& objects) : objects_(objects) {}

  [[nodiscard]] std::optional<Json> Get(const ObjectKey& key) const;
  // Of one namespace; of all if it is empty. `resource` is "pods" or "deployments.apps".
  [[nodiscard]] std::vector<Json> List(std::string_view resource, std::string_view ns) const;
  // Where the object that a reference or an object's own fields name would be; absent if there is
  // no such kind.
  [[nodiscard]] std::optional<ObjectKey> KeyOf(std::string_view api_version, std::string_view kind,
                                               std::string_view ns, std::string_view name) const;

  // Nothing, or why it was refused.
  [[nodiscard]] Verdict Apply(const Write& write);

  [[nodiscard]] std::vector<KindPtr> AllKinds() const { return objects_.kinds().all(); }
  [[nodiscard]] const runtime::Clock& clock() const { return objects_.clock(); }
  [[nodiscard]] Store& store() { return objects_.store(); }

 private:
  Objects& objects_;
};

}  // namespace gs::localcluster
