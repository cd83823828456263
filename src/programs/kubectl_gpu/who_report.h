// `kubectl-gpu who`: who has the GPUs of a node, or which GPUs a pod has, and how that is known.
#pragma once

#include "base/result.h"
#include "programs/kubectl_gpu/answer.h"
#include "programs/kubectl_gpu/cluster_question.h"
#include "programs/kubectl_gpu/picture.h"

namespace gs::kubectl_gpu {

// Refuses a name that neither a node nor a pod has, and GPUs that the node does not have.
[[nodiscard]] Result<Answer> ReportWho(const WhoQuestion& question, const Picture& picture);

}  // namespace gs::kubectl_gpu
