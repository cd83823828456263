// What a claim's status should say, worked out from the pods that name it. Bound pods are the
// truth; pods that wait have written on them why. So every scheduler that sees the same pods says
// the same, before and after a restart.
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "base/ids.h"
#include "base/time.h"
#include "core/cache/cache.h"
#include "core/cache/pod_record.h"
#include "core/model/claim_status.h"

namespace gs::cycle {

using ClaimKey = std::pair<Namespace, ClaimName>;

// Through which claim the pod holds GPUs, or waits for them.
[[nodiscard]] std::optional<ClaimKey> ClaimOf(const cache::PodRecord& record);

// `pods` are those of the claim. A condition that is as `shown` keeps its time; another begins now.
// Linear in the pods.
[[nodiscard]] model::ClaimStatus ClaimStatusOf(const std::set<PodUid>& pods,
                                               const cache::Cache& cache,
                                               const std::optional<model::ClaimStatus>& shown,
                                               TimePoint now);

}  // namespace gs::cycle
