#include "core/decide/filter/volume_claims.h"

namespace gs::filter {
namespace {

using model::Reason;
using model::ReasonToken;

Reason Missing(const cache::VolumeClaimKey& key, const std::string& what) {
  return {ReasonToken::kVolumeMissing,
          "volume claim " + model::InNamespace(key.first, key.second) + " " + what};
}

std::optional<Reason> RefusedByBound(const cache::VolumeClaimKey& key,
                                     const model::VolumeClaim& claim,
                                     const cache::Storage& storage) {
  if (storage.FindVolume(claim.volume) != nullptr) return std::nullopt;
  return Missing(key, "is bound to volume " + claim.volume + ", which is not there");
}

// Only a claim whose class waits for its first pod is the scheduler's business; others are bound
// without it, sooner or later.
std::optional<Reason> RefusedByUnbound(const cache::VolumeClaimKey& key,
                                       const model::VolumeClaim& claim,
                                       const cache::Storage& storage) {
  if (!claim.volume.empty()) return Missing(key, "is not bound to volume " + claim.volume + " yet");
  if (claim.storage_class.empty()) return Missing(key, "has no storage class and no volume yet");
  const model::StorageClass* kind = storage.FindClass(claim.storage_class);
  if (kind == nullptr) {
    return Missing(key, "is of storage class " + claim.storage_class + ", which is not there");
  }
  if (!kind->waits_for_consumer) return Missing(key, "has no volume yet");
  return std::nullopt;
}

std::optional<Reason> RefusedByClaim(const model::Pod& pod, const model::ClaimedVolume& volume,
                                     const cache::Storage& storage) {
  const cache::VolumeClaimKey key(pod.ref.ns, volume.claim);
  const model::VolumeClaim* claim = storage.FindClaim(key);
  if (claim == nullptr) {
    return Missing(key, volume.is_made_for_pod ? "is not made for the pod yet" : "is not there");
  }
  if (claim->is_lost) return Missing(key, "has lost its volume " + claim->volume);
  if (claim->is_terminating) return Missing(key, "is being deleted");
  if (volume.is_made_for_pod && claim->owner != pod.ref.uid) {
    return Missing(key, "was not made for the pod: delete it, or give the pod another name");
  }
  return claim->is_bound ? RefusedByBound(key, *claim, storage)
                         : RefusedByUnbound(key, *claim, storage);
}

}  // namespace

std::set<cache::VolumeClaimKey> ClaimsOf(const model::Pod& pod) {
  std::set<cache::VolumeClaimKey> claims;
  for (const auto& volume : pod.ties->volumes) claims.emplace(pod.ref.ns, volume.claim);
  return claims;
}

std::optional<Reason> RefusedByClaims(const model::Pod& pod, const cache::Storage& storage) {
  for (const auto& volume : pod.ties->volumes) {
    if (auto reason = RefusedByClaim(pod, volume, storage)) return reason;
  }
  return std::nullopt;
}

}  // namespace gs::filter
