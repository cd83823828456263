// What a request to delete does to an object, as a pure function: gone at once, marked and waiting
// for grace or finalizers, or left as it is.
#pragma once

#include <boost/json/fwd.hpp>

#include "adapters/localcluster/store/objects.h"
#include "base/time.h"

namespace gs::localcluster {

enum class DeleteStep : std::uint8_t { kRemove, kMark, kPending };

// Changes `object` for kMark. Refuses preconditions that do not hold.
[[nodiscard]] Answer<DeleteStep> DecideDelete(const Kind& kind, boost::json::object& object,
                                              const DeleteOptions& options, TimePoint now);

// An update took the last thing away that a deleted object was waiting for.
[[nodiscard]] bool IsFinished(const Kind& kind, const boost::json::object& old,
                              const boost::json::object& object);

}  // namespace gs::localcluster
