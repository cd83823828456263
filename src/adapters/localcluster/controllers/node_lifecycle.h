// The node lifecycle controller: a node whose heartbeats stop is marked, and keeps pods away until
// it is heard of again.
#pragma once

#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {

// `lease` is the node's heartbeat, or null: a node that never had one is left as it was written.
[[nodiscard]] Reconciled ReconcileNode(const Json& node, const Json* lease, Duration grace,
                                       TimePoint now);

}  // namespace gs::localcluster
