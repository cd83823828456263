// OwnerIndex: who owns whom, by uid, as the owner references of all objects say.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/localcluster/objects/fields.h"
#include "adapters/localcluster/store/stored_object.h"

namespace gs::localcluster {

class OwnerIndex {
 public:
  // True if its owners are others than before.
  bool Set(const ObjectKey& key, const Json& object);
  void Remove(const ObjectKey& key);

  // What names that uid as an owner, in order.
  [[nodiscard]] std::vector<ObjectKey> OwnedBy(std::string_view uid) const;
  [[nodiscard]] std::size_t CountOwnedBy(std::string_view uid) const;

 private:
  std::map<ObjectKey, std::vector<std::string>> owners_;  // uids, in the order of the references
  std::map<std::string, std::set<ObjectKey>, std::less<>> owned_;
};

}  // namespace gs::localcluster
