#include "adapters/localcluster/objects/write.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <utility>

#include "adapters/localcluster/objects/metadata.h"

namespace gs::localcluster {

Write Create(Json object) { return {.verb = Verb::kCreate, .object = std::move(object)}; }
Write Update(Json object) { return {.verb = Verb::kUpdate, .object = std::move(object)}; }
Write UpdateStatus(Json object) {
  return {.verb = Verb::kUpdateStatus, .object = std::move(object)};
}
Write Delete(const Json& object) { return {.verb = Verb::kDelete, .object = Reference(object)}; }

void LookAgainAt(Reconciled& reconciled, TimePoint at) {
  reconciled.look_again = std::min(at, reconciled.look_again.value_or(at));
}

void WriteStatusIfChanged(Reconciled& reconciled, const Json& object, Json status) {
  const Json* old = Find(object, {"status"});
  if (old != nullptr && *old == status) return;
  Json changed = object;
  Make(changed, {})["status"] = std::move(status);
  reconciled.writes.push_back(UpdateStatus(std::move(changed)));
}

}  // namespace gs::localcluster
