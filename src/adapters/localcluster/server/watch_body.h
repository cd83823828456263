// The body of a watch: pulls frames while there are any, sleeps until the store changes, and ends
// when its time is over. Inside this folder only.
#pragma once

#include <memory>

#include "adapters/http/server.h"
#include "adapters/localcluster/api/watch_stream.h"
#include "adapters/localcluster/store/store.h"

namespace gs::localcluster {

// The store must outlive the body.
[[nodiscard]] http::StreamBody WatchBody(Store& store, std::shared_ptr<WatchStream> watch);

}  // namespace gs::localcluster
