// Plan: one pod's way to its node and GPUs, as it was decided.
#pragma once

#include "base/ids.h"
#include "core/model/allocation.h"
#include "core/model/pod.h"

namespace gs::commit {

struct Plan {
  model::PodRef pod;
  // Of the pod as the decision saw it. Never refreshed: it is what outdates the Binding when
  // somebody has touched the pod since.
  ResourceVersion noted;
  AttemptId attempt;             // never used before, by no process
  model::Allocation allocation;  // without GPUs: only to a node

  [[nodiscard]] bool has_gpus() const { return !allocation.gpus.ids.empty(); }
};

}  // namespace gs::commit
