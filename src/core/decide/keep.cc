#include "core/decide/keep.h"

#include <algorithm>
#include <string>

#include "base/gpu_ids.h"
#include "base/saturated.h"

namespace gs::decide {
namespace {

using model::Reason;
using model::ReasonToken;

// Whether the node has room for both, as it is now.
bool HasRoomForBoth(const cache::NodeView& view, const model::Resources& a,
                    const model::Resources& b) {
  const model::Resources& all = view.node.allocatable;
  const auto fits = [](std::int64_t offered, std::int64_t used, std::int64_t x, std::int64_t y) {
    return x == 0 || y == 0 || x <= SaturatedSubtract(offered - used, y);
  };
  return fits(all.cpu_milli, view.used.cpu_milli, a.cpu_milli, b.cpu_milli) &&
         fits(all.memory_bytes, view.used.memory_bytes, a.memory_bytes, b.memory_bytes) &&
         view.pods_used + 2 <= view.node.allocatable_pods &&
         std::all_of(a.others.begin(), a.others.end(), [&](const auto& other) {
           return fits(all.others.Of(other.first), view.used.Other(other.first), other.second,
                       b.others.Of(other.first));
         });
}

}  // namespace

void Keep::Spare(const model::Pod& pod, const NodeName& node, std::vector<GpuId> ids) {
  StopSparing(pod.ref.uid);
  spared_on_[node].push_back(pod.ref.uid);
  spared_.emplace(pod.ref.uid, Spared{pod.priority, pod.created, node, std::move(ids)});
}

void Keep::StopSparing(const PodUid& pod) {
  const auto spared = spared_.find(pod);
  if (spared == spared_.end()) return;
  const auto on = spared_on_.find(spared->second.node);
  std::erase(on->second, pod);
  if (on->second.empty()) spared_on_.erase(on);
  spared_.erase(spared);
}

bool Keep::IsKeptFrom(const model::Pod& pod, const NodeName& node) const {
  return reservation_ && reservation_->node == node && reservation_->pod.uid != pod.ref.uid &&
         pod.priority <= reservation_->priority;
}

std::optional<Reason> Keep::Refuse(const model::Pod& pod, const Ask& ask,
                                   const cache::NodeView& view) const {
  if (!IsKeptFrom(pod, view.node.name)) return std::nullopt;
  const bool takes_gpus = ask.wants != filter::Wants::kNoGpus;
  if (takes_gpus && reservation_->ids.empty()) return WhyReserved();
  // What else it takes must not be what the other one lacks.
  if (HasRoomForBoth(view, pod.requests, reservation_->requests)) return std::nullopt;
  return WhyReserved();
}

std::vector<GpuId> Keep::ReservedIds(const model::Pod& pod, const NodeName& node) const {
  if (!IsKeptFrom(pod, node)) return {};
  const bool may_share = pod.controller && pod.controller->uid == reservation_->controller;
  return may_share ? std::vector<GpuId>() : reservation_->ids;
}

std::set<NodeName> Keep::NodesWithKeptGpus() const {
  std::set<NodeName> nodes;
  if (reservation_) nodes.insert(reservation_->node);
  for (const auto& [node, pods] : spared_on_) nodes.insert(node);
  return nodes;
}

Reason Keep::WhyReserved() const {
  const std::string what = reservation_->ids.empty() ? reservation_->node.text()
                                                     : "GPU " + PrintGpuIds(reservation_->ids) +
                                                           " of " + reservation_->node.text();
  return {ReasonToken::kGpuReserved,
          what + " is kept for " + ToString(reservation_->pod) + ", which has waited longer"};
}

std::vector<GpuId> Keep::SparedIds(const model::Pod& pod, const NodeName& node) const {
  std::vector<GpuId> ids;
  const auto on = spared_on_.find(node);
  if (on == spared_on_.end()) return ids;
  for (const PodUid& uid : on->second) {
    const Spared& spared = spared_.at(uid);
    const bool is_before = spared.priority >= pod.priority && spared.created < pod.created;
    if (uid != pod.ref.uid && is_before) {
      ids.insert(ids.end(), spared.ids.begin(), spared.ids.end());
    }
  }
  return ids;
}

}  // namespace gs::decide
