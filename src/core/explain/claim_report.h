// The claims and what pods hold through them, as values.
#pragma once

#include <cstddef>
#include <vector>

#include "core/cache/cache.h"
#include "core/model/allocation.h"
#include "core/model/claim.h"
#include "core/model/pod.h"

namespace gs::explain {

struct ClaimHolder {
  model::PodRef pod;
  model::Allocation allocation;
};

struct ClaimReport {
  model::Claim claim;
  std::vector<ClaimHolder> holders;  // bound pods, by name
  std::size_t waiting = 0;           // pods that name it and are not bound
};

// By namespace and name. Linear in all pods of the cluster.
[[nodiscard]] std::vector<ClaimReport> ReportClaims(const cache::Cache& cache);

}  // namespace gs::explain
