// What all API objects have in common: who they are, who owns them, when they were made, and
// whether they are on their way out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/localcluster/objects/fields.h"
#include "base/time.h"

namespace gs::localcluster {

[[nodiscard]] std::string_view NameOf(const Json& object);
[[nodiscard]] std::string_view NamespaceOf(const Json& object);  // empty: of the whole cluster
[[nodiscard]] std::string_view UidOf(const Json& object);
[[nodiscard]] std::string_view KindOf(const Json& object);
[[nodiscard]] std::string_view LabelOf(const Json& object, std::string_view name);
[[nodiscard]] std::string_view AnnotationOf(const Json& object, std::string_view name);
[[nodiscard]] std::int64_t GenerationOf(const Json& object);
[[nodiscard]] bool IsBeingDeleted(const Json& object);
[[nodiscard]] bool HasFinalizer(const Json& object, std::string_view finalizer);
// Returns whether it was there.
bool RemoveFinalizer(Json& object, std::string_view finalizer);

// Absent where the text is missing or is no time.
[[nodiscard]] std::optional<TimePoint> TimeAt(const Json& from, Path path);
[[nodiscard]] std::optional<TimePoint> CreatedAt(const Json& object);
// Older first, then by name, so that an order never depends on how objects were listed.
[[nodiscard]] bool IsOlder(const Json& a, const Json& b);

// The owner reference with controller: true, or null.
[[nodiscard]] const Json* ControllerOf(const Json& object);
[[nodiscard]] bool IsControlledBy(const Json& object, const Json& owner);
// How a controller signs what it makes.
[[nodiscard]] Json ControllerReference(const Json& owner);

// apiVersion, kind, namespace, name and uid: enough to say which object is meant.
[[nodiscard]] Json Reference(const Json& object);

}  // namespace gs::localcluster
