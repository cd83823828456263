#include "core/decide/filter/volume_binding.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/decide/filter/matching_volume.h"
#include "core/decide/filter/volume_claims.h"
#include "core/decide/filter/volume_provisioning.h"

namespace gs::filter {
namespace {

using model::Reason;
using model::ReasonToken;
using model::VolumeClaim;

std::string TitleOf(const VolumeClaim& claim) {
  return "volume claim " + model::InNamespace(claim.ns, claim.name);
}

std::optional<Reason> RefusedByVolume(const VolumeClaim& claim, const model::Node& node,
                                      const cache::Storage& storage) {
  const model::Volume& volume = *storage.FindVolume(claim.volume);
  if (IsReachable(volume, node)) return std::nullopt;
  const auto& terms = *volume.node_affinity;
  return Reason{ReasonToken::kNodesExcluded,
                "volume " + volume.name + " of " + TitleOf(claim) + " can be reached " +
                    (terms.empty() ? "from no node" : "only where " + ToString(terms.front()))};
}

// The pod's claims by what has to be done for them on this node.
struct Claims {
  std::vector<const VolumeClaim*> to_match;
  std::vector<const VolumeClaim*> to_make;
};

std::variant<Claims, Reason> SortOut(const model::Pod& pod, const model::Node& node,
                                     const cache::Storage& storage) {
  Claims claims;
  for (const auto& key : ClaimsOf(pod)) {
    const VolumeClaim& claim = *storage.FindClaim(key);
    if (claim.is_bound) {
      if (auto reason = RefusedByVolume(claim, node, storage)) return *std::move(reason);
      continue;
    }
    const NodeName selected = storage.SelectedNodeOf(claim);
    if (!selected.empty() && selected != node.name) {
      return Reason{ReasonToken::kNodesExcluded,
                    "a volume for " + TitleOf(claim) + " is being made for " + selected.text()};
    }
    (selected.empty() ? claims.to_match : claims.to_make).push_back(&claim);
  }
  return claims;
}

}  // namespace

std::variant<cache::VolumeChoice, Reason> ChooseVolumes(const model::Pod& pod,
                                                        const model::Node& node,
                                                        const cache::Storage& storage) {
  auto sorted = SortOut(pod, node, storage);
  if (auto* reason = std::get_if<Reason>(&sorted)) return std::move(*reason);
  auto& [to_match, to_make] = std::get<Claims>(sorted);
  cache::VolumeChoice choice;
  std::set<std::string> taken;
  // The small ones first, so that they do not take what a large one needs.
  std::stable_sort(to_match.begin(), to_match.end(),
                   [](const auto* a, const auto* b) { return a->bytes < b->bytes; });
  for (const VolumeClaim* claim : to_match) {
    const model::Volume* volume = MatchingVolume(*claim, node, storage, taken);
    if (volume == nullptr) {
      to_make.push_back(claim);
      continue;
    }
    taken.insert(volume->name);
    choice.matches.push_back({claim->name, volume->name});
  }
  for (const VolumeClaim* claim : to_make) {
    if (auto reason = RefusedByProvisioning(*claim, node, storage)) return *std::move(reason);
    choice.to_make.push_back(claim->name);
  }
  return choice;
}

}  // namespace gs::filter
