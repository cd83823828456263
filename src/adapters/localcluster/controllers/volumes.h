// The volume controller: claims are bound to volumes that somebody made, or to ones that are made
// for them. The volumes hold nothing; they let pods with claims start.
#pragma once

#include <string_view>
#include <vector>

#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {

inline constexpr std::string_view kSimulatedProvisioner = "gpu-local/simulated";

// The class that claims without one get.
[[nodiscard]] Json DefaultStorageClass();

struct VolumeView {
  std::vector<Json> volumes;
  std::vector<Json> classes;
};

// A claim of a class that waits for its first consumer is bound once a scheduler has said on which
// node (volume.kubernetes.io/selected-node).
[[nodiscard]] Reconciled ReconcileClaim(const Json& claim, const VolumeView& view);
// `claim` is the claim that a volume names, or null if it is gone.
[[nodiscard]] Reconciled ReconcileVolume(const Json& volume, const Json* claim);

}  // namespace gs::localcluster
