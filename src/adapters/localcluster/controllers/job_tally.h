// Which pods of a Job have succeeded and failed, counted once each, whatever happens in between.
//
// A pod that has ended is first named in status.uncountedTerminatedPods, then loses its finalizer,
// and only then becomes part of the count; each step is a write of its own, so that none of them
// can be lost or done twice. Indexes of an Indexed Job need no such care: a set does not grow by
// adding the same number again.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "adapters/localcluster/objects/fields.h"

namespace gs::localcluster {

struct JobTally {
  std::int64_t counted_succeeded = 0;
  std::int64_t counted_failed = 0;
  std::vector<std::string> uncounted_succeeded;  // uids
  std::vector<std::string> uncounted_failed;
  std::set<std::int64_t> completed_indexes;
  std::vector<const Json*> to_release;  // pods that may lose their finalizer

  [[nodiscard]] std::int64_t succeeded() const {
    return counted_succeeded + static_cast<std::int64_t>(uncounted_succeeded.size());
  }
  [[nodiscard]] std::int64_t failed() const {
    return counted_failed + static_cast<std::int64_t>(uncounted_failed.size());
  }
};

// Where the count stands after this look at the pods. The pods must outlive it.
[[nodiscard]] JobTally Tally(const Json& job, const std::vector<Json>& pods);

// The part of the status that carries the count from one look to the next.
void WriteTally(Json& status, const Json& job, const JobTally& tally);

}  // namespace gs::localcluster
