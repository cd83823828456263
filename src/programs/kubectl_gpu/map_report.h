// `kubectl-gpu map`: a scheduling map held against the cluster: nodes and GPUs that are not there,
// lines that meet, and who has the GPUs now.
#pragma once

#include "programs/kubectl_gpu/answer.h"
#include "programs/kubectl_gpu/cluster_question.h"
#include "programs/kubectl_gpu/picture.h"

namespace gs::kubectl_gpu {

// kExitNo where a line can never come true as the cluster is.
[[nodiscard]] Answer ReportMap(const MapQuestion& question, const Picture& picture);

}  // namespace gs::kubectl_gpu
