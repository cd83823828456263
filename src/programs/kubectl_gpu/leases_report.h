// `kubectl-gpu leases`: the locks of GPUs, whom each stands for, and which stand for nobody.
#pragma once

#include <cstdint>

#include "core/cache/cache.h"
#include "core/model/lease.h"
#include "programs/kubectl_gpu/answer.h"
#include "programs/kubectl_gpu/cluster_question.h"
#include "programs/kubectl_gpu/picture.h"

namespace gs::kubectl_gpu {

enum class LeaseState : std::uint8_t {
  kHeld,      // a pod on that node has the GPU
  kInFlight,  // its pod is not bound yet
  kStale,     // every pod that it names is gone, has ended, or is elsewhere
};

[[nodiscard]] LeaseState StateOf(const model::GpuLease& lease, const cache::Cache& cache);

[[nodiscard]] Answer ReportLeases(const LeasesQuestion& question, const Picture& picture);

}  // namespace gs::kubectl_gpu
