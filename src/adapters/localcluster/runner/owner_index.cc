#include "adapters/localcluster/runner/owner_index.h"

#include <boost/json/array.hpp>
#include <utility>

namespace gs::localcluster {

bool OwnerIndex::Set(const ObjectKey& key, const Json& object) {
  std::vector<std::string> owners;
  for (const Json& reference : Items(object, {"metadata", "ownerReferences"})) {
    owners.emplace_back(Text(reference, {"uid"}));
  }
  const auto found = owners_.find(key);
  if (found == owners_.end() ? owners.empty() : found->second == owners) return false;
  Remove(key);
  for (const std::string& uid : owners) owned_[uid].insert(key);
  if (!owners.empty()) owners_[key] = std::move(owners);
  return true;
}

void OwnerIndex::Remove(const ObjectKey& key) {
  const auto found = owners_.find(key);
  if (found == owners_.end()) return;
  for (const std::string& uid : found->second) {
    const auto owned = owned_.find(uid);
    if (owned == owned_.end()) continue;
    owned->second.erase(key);
    if (owned->second.empty()) owned_.erase(owned);
  }
  owners_.erase(found);
}

std::vector<ObjectKey> OwnerIndex::OwnedBy(std::string_view uid) const {
  const auto found = owned_.find(uid);
  if (found == owned_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::size_t OwnerIndex::CountOwnedBy(std::string_view uid) const {
  const auto found = owned_.find(uid);
  return found == owned_.end() ? 0 : found->second.size();
}

}  // namespace gs::localcluster
