// `kubectl-gpu claims`: the claims, what pods hold through them, and how many wait.
#pragma once

#include "programs/kubectl_gpu/answer.h"
#include "programs/kubectl_gpu/picture.h"

namespace gs::kubectl_gpu {

[[nodiscard]] Answer ReportAllClaims(const Picture& picture);

}  // namespace gs::kubectl_gpu
