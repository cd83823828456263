// Holders: who holds each GPU of one node, and how we know.
//
// A holder counts as long as any evidence for it is left: the bound pod itself, what another
// release says in the fence, our own decision that is not bound yet, or a pod that is gone but not
// proven to have let go. Where these disagree their union counts, so that a mistake costs a free
// GPU and never a shared one.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/ids.h"
#include "core/model/allocation.h"
#include "core/model/pod.h"

namespace gs::cache {

enum class Evidence : std::uint8_t {
  kBound,      // the pod is bound, not terminal, and names the GPU
  kFence,      // another release is committing the pod
  kAssumed,    // decided here, not seen bound yet
  kReleasing,  // the pod is gone, but its processes may not be
};

// Who may join a holder.
struct Right {
  model::AllocationMode mode = model::AllocationMode::kExclusive;
  ControllerUid controller{};  // with kMap: whose pods

  friend bool operator==(const Right&, const Right&) = default;
};

struct Holder {
  model::PodRef pod;
  model::AllocationMode mode = model::AllocationMode::kExclusive;
  ControllerUid controller;        // with kMap: whose pods may join
  std::vector<Evidence> evidence;  // ascending, at least one
  std::vector<Right> rights;       // what each of them says

  friend bool operator==(const Holder&, const Holder&) = default;
};

class Holders {
 public:
  // Where one says that others may join and another does not, nobody may: annotations can be
  // edited.
  void Add(GpuId gpu, const model::PodRef& pod, model::AllocationMode mode,
           const ControllerUid& controller, Evidence evidence);
  // True if the pod no longer holds the GPU.
  bool Remove(GpuId gpu, const PodUid& pod, Evidence evidence);

  [[nodiscard]] std::span<const Holder> Of(GpuId gpu) const;
  [[nodiscard]] bool IsHeldBy(GpuId gpu, const PodUid& pod) const;
  // Ascending by id; only GPUs that somebody holds.
  [[nodiscard]] const std::map<GpuId, std::vector<Holder>>& all() const { return holders_; }

 private:
  std::map<GpuId, std::vector<Holder>> holders_;
};

}  // namespace gs::cache
