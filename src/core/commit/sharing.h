// Who may hold one GPU together.
#pragma once

#include "base/ids.h"
#include "core/model/allocation.h"
#include "core/model/lease.h"

namespace gs::commit {

// By what right somebody holds a GPU.
struct Right {
  model::AllocationMode mode = model::AllocationMode::kExclusive;
  ControllerUid controller;
};

[[nodiscard]] inline Right RightOf(const model::Allocation& allocation) {
  return {allocation.mode, allocation.controller};
}
[[nodiscard]] inline Right RightOf(const model::GpuLease& lease) {
  return {lease.mode, lease.controller};
}

[[nodiscard]] inline bool MayShare(const Right& a, const Right& b) {
  if (a.mode != b.mode) return false;
  switch (a.mode) {
    case model::AllocationMode::kExclusive: return false;
    case model::AllocationMode::kShared: return true;
    case model::AllocationMode::kMap: return !a.controller.empty() && a.controller == b.controller;
  }
  return false;
}

}  // namespace gs::commit
