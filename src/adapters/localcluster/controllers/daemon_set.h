// The DaemonSet controller: one pod on every node that fits.
#pragma once

#include <vector>

#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {

struct DaemonSetView {
  std::vector<Json> pods;       // that the set controls
  std::vector<Json> revisions;  // ControllerRevisions that it controls
  std::vector<Json> nodes;
};

// Pods are made for their node: with the affinity that a scheduler reads, and, since the embedded
// cluster has no default scheduler, bound to it where that one would have to.
[[nodiscard]] Reconciled ReconcileDaemonSet(const Json& set, const DaemonSetView& view,
                                            TimePoint now);

}  // namespace gs::localcluster
