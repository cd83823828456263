// The StatefulSet controller: pods with numbers, made in order and taken away in reverse, each with
// a name and volumes that stay its own.
#pragma once

#include <vector>

#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {

struct StatefulSetView {
  std::vector<Json> pods;       // that the set controls
  std::vector<Json> revisions;  // ControllerRevisions that it controls
  std::vector<Json> claims;     // PersistentVolumeClaims of its namespace
};

[[nodiscard]] Reconciled ReconcileStatefulSet(const Json& set, const StatefulSetView& view,
                                              TimePoint now);

}  // namespace gs::localcluster
