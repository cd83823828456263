// `kubectl-gpu place`: where a pod or a claim from a file would go on the cluster as it is, at
// which cost, and who would then have to wait. Nothing is kept of it.
#pragma once

#include "base/result.h"
#include "programs/kubectl_gpu/answer.h"
#include "programs/kubectl_gpu/cluster_question.h"
#include "programs/kubectl_gpu/live_view.h"
#include "programs/kubectl_gpu/picture.h"

namespace gs::kubectl_gpu {

// kExitNo where it fits nowhere. Refuses a text that is neither a Pod nor a GpuClaim.
[[nodiscard]] Result<Answer> ReportPlace(const PlaceQuestion& question, const LiveView& view,
                                         const ClusterOptions& options, const Picture& picture);

}  // namespace gs::kubectl_gpu
