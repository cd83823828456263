// `kubectl-gpu explain`: why a pod waits, node by node, in the scheduler's own words, and what
// would help it.
#pragma once

#include <string>

#include "base/result.h"
#include "core/explain/explanation.h"
#include "programs/kubectl_gpu/answer.h"
#include "programs/kubectl_gpu/cluster_question.h"
#include "programs/kubectl_gpu/picture.h"

namespace gs::kubectl_gpu {

// Refuses a pod that the scheduler does not know.
[[nodiscard]] Result<Answer> ReportExplain(const ExplainQuestion& question, const Picture& picture);

// The reason, the verdict of every node, and all changes that would help. Requires: no place.
[[nodiscard]] std::string PrintWhy(const explain::Explanation& explanation, const Picture& picture);

}  // namespace gs::kubectl_gpu
