// The API server of the scheduler: /api/v1/gpus, pods, claims, explain and fleet, to be read only,
// /api/v1/place, where a pod may be posted that is tried and not kept, and the dashboard at /.
// Each answer is one moment of the cycle, taken on its own thread; a cycle that is busy for too
// long gives 503.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "adapters/http/server.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/io_threads.h"
#include "base/result.h"
#include "base/time.h"
#include "core/explain/placeable_sets.h"
#include "programs/scheduler/observe/questions.h"

namespace gs::scheduler {

struct ApiParts {
  Questions& questions;
  const runtime::Clock& clock;
  explain::PlaceableSets& placeable;  // on the cycle's thread
  Duration patience = std::chrono::seconds(5);
  Duration fleet_period = std::chrono::seconds(1);  // between two events of a stream
};

// Serves until it is destroyed. What the parts refer to must outlive the threads.
[[nodiscard]] Result<std::unique_ptr<http::Server>> StartApiServer(runtime::IoThreads& threads,
                                                                   const std::string& address,
                                                                   std::uint16_t port,
                                                                   const ApiParts& parts);

}  // namespace gs::scheduler
