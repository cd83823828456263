#include "core/decide/filter/volume_zone.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/decide/filter/volume_claims.h"

namespace gs::filter {
namespace {

struct ZoneLabel {
  std::string_view name;
  std::string_view newer;  // the label that means the same today
};
constexpr std::array kZoneLabels{
    ZoneLabel{"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    ZoneLabel{"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    ZoneLabel{"topology.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    ZoneLabel{"topology.kubernetes.io/region", "topology.kubernetes.io/region"}};

bool NamesZones(const model::Node& node) {
  return std::any_of(kZoneLabels.begin(), kZoneLabels.end(), [&node](const ZoneLabel& label) {
    return node.labels.Find(label.name) != nullptr;
  });
}

// Several zones are written "a__b".
bool IsAmong(std::string_view zones, std::string_view zone) {
  constexpr std::string_view kBetween = "__";
  while (true) {
    const auto end = zones.find(kBetween);
    if (zones.substr(0, end) == zone) return true;
    if (end == std::string_view::npos) return false;
    zones.remove_prefix(end + kBetween.size());
  }
}

std::optional<model::Reason> RefusedByLabels(const model::Volume& volume, const model::Node& node) {
  for (const ZoneLabel& label : kZoneLabels) {
    const std::string* zones = volume.labels.Find(label.name);
    if (zones == nullptr) continue;
    const std::string* zone = node.labels.Find(label.name);
    if (zone == nullptr) zone = node.labels.Find(label.newer);
    if (zone != nullptr && IsAmong(*zones, *zone)) continue;
    return model::Reason{
        model::ReasonToken::kNodesExcluded,
        "volume " + volume.name + " is in " + std::string(label.name) + "=" + *zones};
  }
  return std::nullopt;
}

}  // namespace

std::optional<model::Reason> RefusedByVolumeZone(const model::Pod& pod, const model::Node& node,
                                                 const cache::Storage& storage) {
  if (!NamesZones(node)) return std::nullopt;
  for (const auto& key : ClaimsOf(pod)) {
    const model::VolumeClaim* claim = storage.FindClaim(key);
    const auto* volume = claim == nullptr ? nullptr : storage.FindVolume(claim->volume);
    if (volume == nullptr) continue;
    if (auto reason = RefusedByLabels(*volume, node)) return reason;
  }
  return std::nullopt;
}

}  // namespace gs::filter
