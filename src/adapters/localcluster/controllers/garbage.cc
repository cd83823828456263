#include "adapters/localcluster/controllers/garbage.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <utility>

#include "adapters/localcluster/controllers/job_pods.h"
#include "adapters/localcluster/objects/metadata.h"

namespace gs::localcluster {
namespace {

void SetOwners(Json& object, boost::json::array owners) {
  auto& metadata = Make(object, {"metadata"});
  if (owners.empty()) {
    metadata.erase("ownerReferences");
  } else {
    metadata["ownerReferences"] = std::move(owners);
  }
}

Write DeleteBecauseOf(const Json& object, Dependents dependents) {
  Write write = Delete(object);
  write.dependents = dependents;
  return write;
}

// An object that is already on its way keeps the way it was told to go.
Dependents WayOut(const Json& object) {
  if (HasFinalizer(object, kOrphanFinalizer)) return Dependents::kOrphan;
  if (HasFinalizer(object, kForegroundFinalizer)) return Dependents::kForeground;
  return Dependents::kBackground;
}

Write WithoutFinalizer(const Json& object, std::string_view finalizer) {
  Json released = object;
  RemoveFinalizer(released, finalizer);
  return Update(std::move(released));
}

bool Blocks(const Json& object, std::string_view owner_uid) {
  const auto& owners = Items(object, {"metadata", "ownerReferences"});
  return std::any_of(owners.begin(), owners.end(), [&](const Json& owner) {
    return Text(owner, {"uid"}) == owner_uid && Bool(owner, {"blockOwnerDeletion"});
  });
}

Reconciled Orphan(const Json& owner, const std::vector<Json>& owned) {
  Reconciled reconciled;
  for (const Json& each : owned) {
    boost::json::array kept;
    for (const Json& reference : Items(each, {"metadata", "ownerReferences"})) {
      if (Text(reference, {"uid"}) != UidOf(owner)) kept.push_back(reference);
    }
    Json freed = each;
    SetOwners(freed, std::move(kept));
    reconciled.writes.push_back(Update(std::move(freed)));
  }
  reconciled.writes.push_back(WithoutFinalizer(owner, kOrphanFinalizer));
  return reconciled;
}

}  // namespace

Reconciled CollectOwned(const Json& object, bool owns_others, const FindOwner& find) {
  Reconciled reconciled;
  boost::json::array kept;
  bool is_awaited = false;
  const auto& owners = Items(object, {"metadata", "ownerReferences"});
  for (const Json& reference : owners) {
    const OwnerState state = find(reference);
    if (state == OwnerState::kThere) kept.push_back(reference);
    is_awaited = is_awaited || state == OwnerState::kWaitsForOwned;
  }
  if (kept.size() == owners.size()) return reconciled;
  if (!kept.empty()) {
    Json changed = object;
    SetOwners(changed, std::move(kept));
    reconciled.writes.push_back(Update(std::move(changed)));
    return reconciled;
  }
  // The Job that would have counted the pod, and released it then, is gone.
  if (!is_awaited && HasFinalizer(object, kTrackingFinalizer)) {
    reconciled.writes.push_back(WithoutFinalizer(object, kTrackingFinalizer));
  }
  if (IsBeingDeleted(object)) return reconciled;
  const Dependents way = is_awaited && owns_others ? Dependents::kForeground : WayOut(object);
  reconciled.writes.push_back(DeleteBecauseOf(object, way));
  return reconciled;
}

Reconciled CollectOwner(const Json& owner, const std::vector<Json>& owned) {
  if (!IsBeingDeleted(owner)) return {};
  if (HasFinalizer(owner, kOrphanFinalizer)) return Orphan(owner, owned);
  if (!HasFinalizer(owner, kForegroundFinalizer)) return {};
  const bool is_blocked = std::any_of(owned.begin(), owned.end(),
                                      [&](const Json& each) { return Blocks(each, UidOf(owner)); });
  Reconciled reconciled;
  if (!is_blocked) reconciled.writes.push_back(WithoutFinalizer(owner, kForegroundFinalizer));
  return reconciled;
}

}  // namespace gs::localcluster
