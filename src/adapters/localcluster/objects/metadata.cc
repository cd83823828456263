#include "adapters/localcluster/objects/metadata.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <tuple>

namespace gs::localcluster {

std::string_view NameOf(const Json& object) { return Text(object, {"metadata", "name"}); }
std::string_view NamespaceOf(const Json& object) { return Text(object, {"metadata", "namespace"}); }
std::string_view UidOf(const Json& object) { return Text(object, {"metadata", "uid"}); }
std::string_view KindOf(const Json& object) { return Text(object, {"kind"}); }

std::string_view LabelOf(const Json& object, std::string_view name) {
  return Text(object, {"metadata", "labels", name});
}

std::string_view AnnotationOf(const Json& object, std::string_view name) {
  return Text(object, {"metadata", "annotations", name});
}

std::int64_t GenerationOf(const Json& object) { return Int(object, {"metadata", "generation"}); }

bool IsBeingDeleted(const Json& object) {
  return Find(object, {"metadata", "deletionTimestamp"}) != nullptr;
}

bool HasFinalizer(const Json& object, std::string_view finalizer) {
  const auto& all = Items(object, {"metadata", "finalizers"});
  return std::any_of(all.begin(), all.end(),
                     [&](const Json& each) { return Text(each, {}) == finalizer; });
}

bool RemoveFinalizer(Json& object, std::string_view finalizer) {
  auto& metadata = Make(object, {"metadata"});
  auto* all = metadata.if_contains("finalizers");
  if (all == nullptr || !all->is_array()) return false;
  boost::json::array kept;
  for (const Json& each : all->get_array()) {
    if (Text(each, {}) != finalizer) kept.push_back(each);
  }
  const bool was_there = kept.size() < all->get_array().size();
  if (kept.empty()) {
    metadata.erase("finalizers");
  } else {
    *all = std::move(kept);
  }
  return was_there;
}

std::optional<TimePoint> TimeAt(const Json& from, Path path) {
  const auto time = ParseTime(Text(from, path));
  if (!time) return std::nullopt;
  return *time;
}

std::optional<TimePoint> CreatedAt(const Json& object) {
  return TimeAt(object, {"metadata", "creationTimestamp"});
}

bool IsOlder(const Json& a, const Json& b) {
  return std::tuple(CreatedAt(a), NameOf(a)) < std::tuple(CreatedAt(b), NameOf(b));
}

const Json* ControllerOf(const Json& object) {
  for (const Json& owner : Items(object, {"metadata", "ownerReferences"})) {
    if (Bool(owner, {"controller"})) return &owner;
  }
  return nullptr;
}

bool IsControlledBy(const Json& object, const Json& owner) {
  const Json* controller = ControllerOf(object);
  return controller != nullptr && Text(*controller, {"uid"}) == UidOf(owner);
}

Json ControllerReference(const Json& owner) {
  return {{"apiVersion", Text(owner, {"apiVersion"})},
          {"kind", KindOf(owner)},
          {"name", NameOf(owner)},
          {"uid", UidOf(owner)},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

Json Reference(const Json& object) {
  boost::json::object metadata{{"name", NameOf(object)}};
  if (!NamespaceOf(object).empty()) metadata["namespace"] = NamespaceOf(object);
  if (!UidOf(object).empty()) metadata["uid"] = UidOf(object);
  return {{"apiVersion", Text(object, {"apiVersion"})},
          {"kind", KindOf(object)},
          {"metadata", std::move(metadata)}};
}

}  // namespace gs::localcluster
