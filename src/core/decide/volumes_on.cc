#include "core/decide/volumes_on.h"

#include <optional>

#include "core/decide/filter/attach_limits.h"
#include "core/decide/filter/volume_binding.h"
#include "core/decide/filter/volume_claims.h"
#include "core/decide/filter/volume_sharing.h"
#include "core/decide/filter/volume_zone.h"

namespace gs::decide {

std::variant<cache::VolumeChoice, model::Reason> VolumesOn(const model::Pod& pod,
                                                           const model::Node& node,
                                                           const cache::Storage& storage) {
  if (pod.ties->volumes.empty() && pod.ties->disks.empty()) return cache::VolumeChoice();
  if (auto reason = filter::RefusedByClaims(pod, storage)) return *std::move(reason);
  if (auto reason = filter::RefusedBySharing(pod, node.name, storage)) return *std::move(reason);
  if (auto reason = filter::RefusedByVolumeZone(pod, node, storage)) return *std::move(reason);
  if (auto reason = filter::RefusedByAttachLimit(pod, node.name, storage)) {
    return *std::move(reason);
  }
  return filter::ChooseVolumes(pod, node, storage);
}

}  // namespace gs::decide
