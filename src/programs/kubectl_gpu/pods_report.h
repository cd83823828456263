// `kubectl-gpu pods`: the pods of the scheduler, with their node and their GPUs, or with the reason
// that the scheduler wrote on them.
#pragma once

#include "programs/kubectl_gpu/answer.h"
#include "programs/kubectl_gpu/picture.h"

namespace gs::kubectl_gpu {

[[nodiscard]] Answer ReportAllPods(const Picture& picture);

}  // namespace gs::kubectl_gpu
