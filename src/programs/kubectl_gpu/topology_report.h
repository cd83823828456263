// `kubectl-gpu topology`: how the GPUs of a node are wired, as its agent reports it.
#pragma once

#include "base/result.h"
#include "programs/kubectl_gpu/answer.h"
#include "programs/kubectl_gpu/cluster_question.h"
#include "programs/kubectl_gpu/picture.h"

namespace gs::kubectl_gpu {

// Refuses a node that is not there or whose wiring nobody reports.
[[nodiscard]] Result<Answer> ReportTopology(const TopologyQuestion& question,
                                            const Picture& picture);

}  // namespace gs::kubectl_gpu
