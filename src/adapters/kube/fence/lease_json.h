// Leases as JSON, as far as all of this folder's have it in common. Internal to this folder.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/kube/fence/lease_metadata.h"
#include "adapters/kube/objects/json_view.h"
#include "base/time.h"

namespace gs::kube {

[[nodiscard]] LeaseMetadata ReadLeaseMetadata(const JsonView& metadata);

// uid and resourceVersion are written if they are known, as preconditions: without the UID, a PUT
// would make a Lease anew that was deleted.
[[nodiscard]] std::string PrintLease(const LeaseMetadata& metadata,
                                     const boost::json::object& spec);

void AddUnlessEmpty(std::string_view name, const std::string& text, boost::json::object& object);

// A Lease's times have microseconds.
[[nodiscard]] inline TimePoint Micros(TimePoint time) {
  return std::chrono::time_point_cast<std::chrono::microseconds>(time);
}
[[nodiscard]] std::optional<TimePoint> ParseMicros(std::string_view text);

}  // namespace gs::kube
