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
  AttemptId attempt;  // never used before, by no process
  // Without ids: only to a node. Where a device plugin gives parts of GPUs to the pod, it says that
  // it is not enforced.
  model::Allocation allocation;

  [[nodiscard]] bool has_gpus() const { return !allocation.gpus.ids.empty(); }
  // Also parts, which have no ids.
  [[nodiscard]] bool takes_gpus() const { return has_gpus() || !allocation.is_enforced; }
};

}  // namespace gs::commit
