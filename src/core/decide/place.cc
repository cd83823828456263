#include "core/decide/place.h"

#include <algorithm>
#include <string>

#include "base/gpu_ids.h"
#include "core/decide/devices/choose.h"
#include "core/decide/filter/handover.h"
#include "core/decide/filter/host_ports.h"
#include "core/decide/filter/node_affinity.h"
#include "core/decide/filter/resources.h"
#include "core/decide/filter/taints.h"
#include "core/decide/score/preferred_nodes.h"
#include "core/decide/volumes_on.h"

namespace gs::decide {
namespace {

using model::AllocationMode;
using model::Reason;
using model::ReasonToken;

using Answer = std::variant<Place, Reason>;

std::optional<Reason> RefusedByNode(const cache::NodeView& view, const model::Pod& pod,
                                    const Ask& ask, const Company& company,
                                    const PlaceContext& context) {
  if (!view.is_known) return Reason{ReasonToken::kNodesExcluded, "the node is being removed"};
  if (auto reason = filter::RefusedByAffinity(pod.rules, view.node)) return reason;
  if (auto reason = filter::RefusedByTaint(pod.rules, view.node)) return reason;
  if (auto reason = company.affinity.Refuse(view.node)) return reason;
  if (auto reason = company.spread.Refuse(view.node)) return reason;
  if (auto reason = filter::RefusedByPorts(pod, view)) return reason;
  if (auto reason = filter::RefusedByHandover(ask.wants, view)) return reason;
  if (auto reason = filter::RefusedByRoom(pod, view)) return reason;
  return context.rejections.Refuse(pod, view.node.name);
}

std::optional<Reason> RefusedByLabels(const model::Labels& wanted, const model::Node& node) {
  for (const auto& [name, value] : wanted) {
    const std::string* label = node.labels.Find(name);
    if (label != nullptr && *label == value) continue;
    return Reason{ReasonToken::kNodesExcluded, "its claim asks for " + name + "=" + value};
  }
  return std::nullopt;
}

std::vector<GpuUuid> UuidsOf(const cache::NodeView& view, const std::vector<GpuId>& ids) {
  std::vector<GpuUuid> uuids;
  if (!view.node.machine) return uuids;
  for (const GpuId id : ids) {
    for (const auto& device : view.node.machine->devices) {
      if (device.id == id) uuids.push_back(device.uuid);
    }
  }
  const auto is_empty = [](const GpuUuid& uuid) { return uuid.empty(); };
  if (std::any_of(uuids.begin(), uuids.end(), is_empty)) uuids.clear();
  return uuids;
}

model::Allocation AllocationFor(const cache::NodeView& view, const model::Pod& pod, const Ask& ask,
                                std::vector<GpuId> ids, AllocationMode mode, ClaimName claim) {
  model::Allocation allocation;
  allocation.pod = pod.ref.uid;
  allocation.uuids = UuidsOf(view, ids);
  allocation.gpus = {view.node.name, std::move(ids)};
  allocation.mode = mode;
  allocation.claim = std::move(claim);
  if (pod.controller) allocation.controller = pod.controller->uid;
  allocation.is_enforced = ask.wants == filter::Wants::kDirect;
  return allocation;
}

std::string GpuOf(const cache::NodeView& view, GpuId id) {
  return "GPU " + std::to_string(id.number()) + " of " + view.node.name.text();
}

// Its lock stays until it has let go.
bool IsReleasing(const cache::Holder& holder) {
  return holder.evidence.back() == cache::Evidence::kReleasing;
}

// Pods of one controller may share what its map gives to both: the user asked for that. What is
// left of a pod that is gone shares with nobody.
bool MayJoin(const cache::Holder& holder, const model::Pod& pod) {
  return holder.mode == AllocationMode::kMap && pod.controller &&
         holder.controller == pod.controller->uid && !IsReleasing(holder);
}

std::optional<Reason> RefusedByHolders(const cache::NodeView& view, const model::Pod& pod,
                                       GpuId id) {
  for (const cache::Holder& holder : view.holders.Of(id)) {
    if (holder.pod.uid == pod.ref.uid || MayJoin(holder, pod)) continue;
    const bool is_releasing = IsReleasing(holder);
    return Reason{is_releasing ? ReasonToken::kGpuReleasing : ReasonToken::kGpuHeld,
                  GpuOf(view, id) + (is_releasing ? " may still be in use by " : " is held by ") +
                      ToString(holder.pod)};
  }
  return std::nullopt;
}

Answer PlaceNamed(const cache::NodeView& view, const model::Pod& pod, const Ask& ask,
                  const NamedGpus& named, const PlaceContext& context) {
  const std::vector<GpuId> existing = view.gpu_ids();
  const std::vector<GpuId> reserved = context.keep.ReservedIds(pod, view.node.name);
  for (const GpuId id : named.ids) {
    // Where nobody says how many there are, the ids are taken as written.
    const bool exists =
        existing.empty() || std::find(existing.begin(), existing.end(), id) != existing.end();
    if (!exists) {
      return Reason{ReasonToken::kGpuMissing, view.node.name.text() + " has no GPU " +
                                                  std::to_string(id.number()) + ", it has " +
                                                  PrintGpuIds(existing)};
    }
    if (!view.is_healthy(id)) {
      return Reason{ReasonToken::kGpuMissing, GpuOf(view, id) + " is not healthy"};
    }
    if (auto reason = RefusedByHolders(view, pod, id)) return *std::move(reason);
    if (std::find(reserved.begin(), reserved.end(), id) != reserved.end()) {
      return context.keep.WhyReserved();
    }
  }
  return Place{.allocation = AllocationFor(view, pod, ask, named.ids, AllocationMode::kMap, {}),
               .cost = {}};
}

ReasonToken TokenOf(devices::MissReason reason) {
  switch (reason) {
    case devices::MissReason::kMoreThanNodeHas: return ReasonToken::kTooLarge;
    case devices::MissReason::kIslandTooSmall:
    case devices::MissReason::kBandwidthTooLow:
    case devices::MissReason::kMustIncludeApart: return ReasonToken::kTopologyUnmet;
    case devices::MissReason::kBadRequest:
    case devices::MissReason::kNotEnoughFree:
    case devices::MissReason::kMustIncludeUnknown:
    case devices::MissReason::kMustIncludeTaken:
    case devices::MissReason::kMustIncludeTooMany: return ReasonToken::kTooFewGpus;
  }
  return ReasonToken::kTooFewGpus;
}

devices::Availability Without(devices::Availability availability, devices::GpuSet kept) {
  availability.unused = availability.unused - kept;
  for (const std::size_t position : kept) availability.sharers[position] = 0;
  return availability;
}

// What the chooser answers, and at whose cost.
struct Chosen {
  devices::Outcome outcome;
  std::int32_t takes_spared = 0;
  bool is_reserved = false;  // there would be a set, but of GPUs that are kept for another pod
};

// First without the GPUs that others wait for; with those that are spared where it must be; never
// with those that are reserved.
Chosen ChooseFor(const model::Pod& pod, const CountedGpus& asked, const cache::NodeView& view,
                 const devices::Topology& topology, const devices::Availability& all,
                 const PlaceContext& context) {
  const auto choose = [&](const devices::Availability& availability) {
    return devices::Choose(topology, availability, asked.request, &context.tables);
  };
  const auto is_set = [](const devices::Outcome& outcome) {
    return std::holds_alternative<devices::Choice>(outcome);
  };
  const NodeName& node = view.node.name;
  const auto reserved = topology.PositionsOf(context.keep.ReservedIds(pod, node));
  const auto spared = topology.PositionsOf(context.keep.SparedIds(pod, node));
  Chosen chosen{.outcome = choose(Without(all, reserved | spared))};
  if (is_set(chosen.outcome)) return chosen;
  if (!(spared - reserved).empty()) {
    chosen = {.outcome = choose(Without(all, reserved)), .takes_spared = 1};
  }
  if (is_set(chosen.outcome) || reserved.empty()) return chosen;
  chosen.outcome = choose(all);
  chosen.is_reserved = is_set(chosen.outcome);
  return chosen;
}

bool MeetsPreference(const CountedGpus& asked, const devices::Choice& choice) {
  return choice.islands == 1 && choice.min_bandwidth_gbps >= asked.preferred_bandwidth_gbps;
}

Answer PlaceCounted(const cache::NodeView& view, const model::Pod& pod, const Ask& ask,
                    const CountedGpus& asked, const PlaceContext& context) {
  if (auto reason = RefusedByLabels(asked.match_labels, view.node)) return *std::move(reason);
  const auto topology = context.topologies.Of(view);
  if (!topology) return Reason{ReasonToken::kTooLarge, "the node has no GPUs"};
  const devices::Availability availability = AvailabilityOf(view, *topology, pod.ref.uid);
  context.wishes.Note(topology, devices::TableKey::Of(asked.request));
  const Chosen chosen = ChooseFor(pod, asked, view, *topology, availability, context);
  if (const auto* miss = std::get_if<devices::Miss>(&chosen.outcome)) {
    return Reason{TokenOf(miss->reason), ToString(*miss)};
  }
  if (chosen.is_reserved) return context.keep.WhyReserved();
  const auto& choice = std::get<devices::Choice>(chosen.outcome);
  const bool is_shared = asked.request.exclusivity == model::Exclusivity::kShared;
  const devices::GpuSet free = availability.unused - availability.unhealthy;
  const devices::GpuSet left = free - choice.set;
  Place place;
  place.allocation =
      AllocationFor(view, pod, ask, choice.ids,
                    is_shared ? AllocationMode::kShared : AllocationMode::kExclusive, asked.claim);
  place.cost.takes_spared = chosen.takes_spared;
  place.cost.misses_preference =
      asked.prefers_one_island && !MeetsPreference(asked, choice) ? 1 : 0;
  place.cost.placeable_loss = score::PlaceableLoss(*topology, free, left, context.weights);
  place.cost.free_gpus_left = static_cast<std::int64_t>(left.size());
  return place;
}

Place PlaceWithoutGpus(const cache::NodeView& view) {
  const std::int64_t offered = std::max<std::int64_t>(view.node.allocatable.cpu_milli, 1);
  Place place;
  place.cost.has_gpus_unasked = view.gpu_ids().empty() ? 0 : 1;
  place.cost.cpu_in_use = view.used.cpu_milli * 1000 / offered;
  return place;
}

Answer PlaceGpus(const cache::NodeView& view, const model::Pod& pod, const Ask& ask,
                 const PlaceContext& context) {
  if (const auto* named = std::get_if<NamedGpus>(&ask.gpus)) {
    return PlaceNamed(view, pod, ask, *named, context);
  }
  if (const auto* counted = std::get_if<CountedGpus>(&ask.gpus)) {
    return PlaceCounted(view, pod, ask, *counted, context);
  }
  return PlaceWithoutGpus(view);
}

}  // namespace

Answer PlaceOn(const cache::NodeView& view, const model::Pod& pod, const Ask& ask,
               const Company& company, const PlaceContext& context) {
  if (auto reason = RefusedByNode(view, pod, ask, company, context)) return *std::move(reason);
  auto volumes = VolumesOn(pod, view.node, context.storage);
  if (auto* reason = std::get_if<Reason>(&volumes)) return std::move(*reason);
  Answer answer = PlaceGpus(view, pod, ask, context);
  auto* place = std::get_if<Place>(&answer);
  if (place == nullptr) return answer;
  // Last, so that it is said only where nothing else stands in the way.
  if (auto reason = context.keep.Refuse(pod, ask, view)) return *std::move(reason);
  place->cost.unwelcome_taints = score::UnwelcomeTaints(pod.rules, view.node);
  place->cost.unmet_wishes = score::UnmetWishes(pod.rules, view.node);
  place->volumes = std::get<cache::VolumeChoice>(std::move(volumes));
  return answer;
}

}  // namespace gs::decide
