// What the scheduler says of every node of a snapshot.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/ids.h"
#include "core/cache/cache.h"
#include "core/model/reason.h"
#include "tests/differential/verdicts/snapshot.h"

namespace gs::differential {

using Verdicts = std::map<NodeName, std::optional<model::Reason>>;  // absent: the pod fits

// Of a cache that has seen this and nothing else.
[[nodiscard]] Verdicts VerdictsOn(const Snapshot& snapshot);

// A cache that lives on from snapshot to snapshot and is told what came and what went, so that what
// it counts must be right after any history.
class LongLivedCache {
 public:
  explicit LongLivedCache(const SchedulerName& scheduler) : cache_({.scheduler = scheduler}) {}

  [[nodiscard]] Verdicts VerdictsOn(const Snapshot& snapshot);

 private:
  void See(const Seen& seen);

  cache::Cache cache_;
  std::map<std::string, Seen> there_;  // by its key
};

}  // namespace gs::differential
