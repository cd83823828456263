#include "core/decide/filter/matching_volume.h"

#include <algorithm>

namespace gs::filter {
namespace {

// Whom the volume is kept for, as it was seen or by a decision of ours that is on its way.
enum class KeptFor : std::uint8_t { kNobody, kClaim, kAnother };

KeptFor KeeperOf(const model::Volume& volume, const model::VolumeClaim& claim,
                 const cache::Storage& storage) {
  if (!volume.claim_name.empty()) {
    const bool is_it = volume.claim_ns == claim.ns && volume.claim_name == claim.name &&
                       (volume.claim_uid.empty() || volume.claim_uid == claim.uid);
    return is_it ? KeptFor::kClaim : KeptFor::kAnother;
  }
  const cache::VolumeClaimKey* assumed = storage.AssumedClaimOf(volume.name);
  if (assumed == nullptr) return KeptFor::kNobody;
  return *assumed == cache::VolumeClaimKey(claim.ns, claim.name) ? KeptFor::kClaim
                                                                 : KeptFor::kAnother;
}

bool IsLargeEnough(const model::Volume& volume, const model::VolumeClaim& claim) {
  return volume.bytes >= claim.bytes && volume.is_block == claim.is_block && !volume.is_terminating;
}

bool IsAsAsked(const model::Volume& volume, const model::VolumeClaim& claim) {
  return volume.is_available && (!claim.selector || Matches(*claim.selector, volume.labels)) &&
         std::includes(volume.access_modes.begin(), volume.access_modes.end(),
                       claim.access_modes.begin(), claim.access_modes.end());
}

}  // namespace

// The API compares with labels only, so a term about a node's name matches none.
bool IsReachable(const model::Volume& volume, const model::Node& node) {
  if (!volume.node_affinity) return true;
  return std::any_of(volume.node_affinity->begin(), volume.node_affinity->end(),
                     [&node](const auto& term) { return Matches(term, node.labels, ""); });
}

const model::Volume* MatchingVolume(const model::VolumeClaim& claim, const model::Node& node,
                                    const cache::Storage& storage,
                                    const std::set<std::string>& others) {
  const model::Volume* smallest = nullptr;
  for (const std::string& name : storage.VolumesOf(claim.storage_class)) {
    const model::Volume& volume = *storage.FindVolume(name);
    if (others.contains(name)) continue;
    const KeptFor keeper = KeeperOf(volume, claim, storage);
    if (keeper == KeptFor::kAnother || !IsLargeEnough(volume, claim)) continue;
    if (keeper == KeptFor::kClaim) return IsReachable(volume, node) ? &volume : nullptr;
    const bool is_smaller = smallest == nullptr || volume.bytes < smallest->bytes;
    if (is_smaller && IsAsAsked(volume, claim) && IsReachable(volume, node)) smallest = &volume;
  }
  return smallest;
}

}  // namespace gs::filter
