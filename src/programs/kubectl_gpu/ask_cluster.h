// From a question to its answer: connects, looks at the cluster once, and reports.
#pragma once

#include <string_view>

#include "base/result.h"
#include "programs/kubectl_gpu/answer.h"
#include "programs/kubectl_gpu/cluster_question.h"
#include "programs/kubectl_gpu/paint.h"

namespace gs::kubectl_gpu {

// An error: the cluster could not be asked, or has not what was named. `version` is this program's.
[[nodiscard]] Result<Answer> AskCluster(const ClusterQuestion& question, std::string_view version,
                                        const Paint& paint);

}  // namespace gs::kubectl_gpu
