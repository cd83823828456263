#include "core/decide/filter/volume_sharing.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace gs::filter {
namespace {

using model::Reason;
using model::ReasonToken;

// Only these are looked at; the first of them may not even be read by two.
constexpr std::string_view kNeverShared = "awsElasticBlockStore";
constexpr std::array<std::string_view, 3> kSharedByReaders{"gcePersistentDisk", "iscsi", "rbd"};

bool IsForOnePod(const model::VolumeClaim& claim) {
  return std::find(claim.access_modes.begin(), claim.access_modes.end(),
                   model::kReadWriteOncePod) != claim.access_modes.end();
}

std::optional<Reason> RefusedByUser(const model::Pod& pod, const model::ClaimedVolume& volume,
                                    const cache::Storage& storage) {
  const cache::VolumeClaimKey key(pod.ref.ns, volume.claim);
  const model::VolumeClaim* claim = storage.FindClaim(key);
  if (claim == nullptr || !IsForOnePod(*claim)) return std::nullopt;
  for (const model::PodRef& user : storage.UsersOf(key)) {
    if (user.uid == pod.ref.uid) continue;
    return Reason{ReasonToken::kVolumeInUse,
                  "volume claim " + model::InNamespace(key.first, key.second) +
                      " is for one pod at a time, and " + ToString(user) + " has it"};
  }
  return std::nullopt;
}

bool Conflicts(const model::NamedDisk& disk, const cache::DiskUse& use) {
  if (disk.kind == kNeverShared) return true;
  const bool is_looked_at = std::find(kSharedByReaders.begin(), kSharedByReaders.end(),
                                      disk.kind) != kSharedByReaders.end();
  return is_looked_at && (!disk.is_read_only || use.writers > 0);
}

}  // namespace

std::optional<Reason> RefusedBySharing(const model::Pod& pod, const NodeName& node,
                                       const cache::Storage& storage) {
  for (const auto& volume : pod.ties->volumes) {
    if (auto reason = RefusedByUser(pod, volume, storage)) return reason;
  }
  const auto& used = storage.On(node).disks;
  for (const auto& disk : pod.ties->disks) {
    const auto use = used.find({disk.kind, disk.id});
    if (use == used.end() || !Conflicts(disk, use->second)) continue;
    return Reason{ReasonToken::kVolumeInUse,
                  "another pod here uses the disk " + disk.id + " (" + disk.kind + ")"};
  }
  return std::nullopt;
}

}  // namespace gs::filter
