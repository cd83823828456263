// Conditions of an object's status: a list with one entry per type.
#pragma once

#include <string>
#include <string_view>

#include "adapters/localcluster/objects/fields.h"
#include "base/time.h"

namespace gs::localcluster {

struct Condition {
  std::string_view type;
  std::string_view status;  // "True", "False", "Unknown"
  std::string reason;
  std::string message;
};

// Null where there is none of that type. `status` is the object's status.
[[nodiscard]] const Json* FindCondition(const Json& status, std::string_view type);
[[nodiscard]] bool IsTrue(const Json& status, std::string_view type);

// Sets or adds it; its lastTransitionTime moves only if its status does. What else an entry has
// stays. The times that kinds add besides are their own business.
boost::json::object& SetCondition(Json& status, const Condition& condition, TimePoint now);
void RemoveCondition(Json& status, std::string_view type);

}  // namespace gs::localcluster
