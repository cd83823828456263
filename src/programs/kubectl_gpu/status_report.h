// `kubectl-gpu status`: the fleet in one look: nodes and their GPUs as a grid, how many sets of
// GPUs could still be given out, and why pods wait.
#pragma once

#include <cstddef>
#include <map>

#include "core/model/reason.h"
#include "programs/kubectl_gpu/answer.h"
#include "programs/kubectl_gpu/picture.h"

namespace gs::kubectl_gpu {

// Pods of the scheduler that have no node, by what the scheduler would say of them now.
struct WaitingPods {
  std::size_t gated = 0;
  std::size_t next = 0;  // there is a place for them
  std::map<model::ReasonToken, std::size_t> reasons{};

  [[nodiscard]] std::size_t total() const;
};

// One decision for all pods that ask for the same.
[[nodiscard]] WaitingPods CountWaiting(const cycle::Cycle& cycle);

[[nodiscard]] Answer ReportStatus(const Picture& picture);

}  // namespace gs::kubectl_gpu
