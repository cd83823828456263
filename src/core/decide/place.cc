#include "core/decide/place.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/gpu_ids.h"
#include "base/saturated.h"
#include "core/decide/devices/choose.h"
#include "core/decide/filter/handover.h"
#include "core/decide/filter/host_ports.h"
#include "core/decide/filter/node_affinity.h"
#include "core/decide/filter/other_releases.h"
#include "core/decide/filter/resources.h"
#include "core/decide/filter/taints.h"
#include "core/decide/score/preferred_nodes.h"
#include "core/decide/volumes_on.h"

namespace gs::decide {
namespace {

using model::AllocationMode;
using model::Reason;
using model::ReasonToken;

using Answer = std::variant<Fit, Reason>;

std::optional<Reason> RefusedByNode(const cache::NodeView& view, const model::Pod& pod,
                                    const Ask& ask, const Company& company,
                                    const PlaceContext& context) {
  if (!view.is_known) return Reason{ReasonToken::kNodesExcluded, "the node is being removed"};
  if (auto reason = filter::RefusedByAffinity(*pod.rules, view.node)) return reason;
  if (auto reason = filter::RefusedByTaint(*pod.rules, view.node)) return reason;
  if (auto reason = company.affinity.Refuse(view.node)) return reason;
  if (auto reason = company.spread.Refuse(view.node)) return reason;
  if (auto reason = filter::RefusedByPorts(pod, view)) return reason;
  if (auto reason = filter::RefusedByHandover(ask.wants, view)) return reason;
  if (auto reason = filter::RefusedByRoom(pod, view)) return reason;
  if (auto reason = filter::RefusedByOthers(ask.wants, view)) return reason;
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

// By what right the pod gets GPUs that it asks for so.
struct Right {
  AllocationMode mode = AllocationMode::kMap;
  ClaimName claim{};
};

Right RightOf(const Ask& ask) {
  const auto* counted = std::get_if<CountedGpus>(&ask.gpus);
  if (counted == nullptr) return {};
  const bool is_shared = counted->request.exclusivity == model::Exclusivity::kShared;
  return {is_shared ? AllocationMode::kShared : AllocationMode::kExclusive, counted->claim};
}

model::Allocation AllocationFor(const cache::NodeView& view, const model::Pod& pod, const Ask& ask,
                                const std::vector<GpuId>& ids) {
  Right right = RightOf(ask);
  model::Allocation allocation;
  allocation.pod = pod.ref.uid;
  allocation.uuids = UuidsOf(view, ids);
  allocation.gpus = {view.node.name, ids};
  allocation.mode = right.mode;
  allocation.claim = std::move(right.claim);
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

Answer FitNamed(const cache::NodeView& view, const model::Pod& pod, const NamedGpus& named,
                const PlaceContext& context) {
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
  return Fit{.ids = &named.ids};
}

devices::Availability Without(devices::Availability availability, devices::GpuSet kept) {
  availability.unused = availability.unused - kept;
  for (const std::size_t position : kept) availability.sharers[position] = 0;
  return availability;
}

// What the chooser answers, and at whose cost.
struct Chosen {
  const ChoiceMemo::Answer* answer = nullptr;
  std::int32_t takes_spared = 0;
  bool is_reserved = false;  // there would be a set, but of GPUs that are kept for another pod

  [[nodiscard]] const devices::Choice* choice() const {
    return std::get_if<devices::Choice>(&answer->outcome);
  }
};

// First without the GPUs that others wait for; with those that are spared where it must be; never
// with those that are reserved.
Chosen ChooseFor(const model::Pod& pod, const CountedGpus& asked, const cache::NodeView& view,
                 const std::shared_ptr<const devices::Topology>& topology,
                 const devices::Availability& all, const PlaceContext& context) {
  const auto choose = [&](devices::GpuSet kept) {
    return &context.choices.Choose(topology, kept.empty() ? all : Without(all, kept), asked.request,
                                   context.tables);
  };
  const NodeName& node = view.node.name;
  const auto reserved = topology->PositionsOf(context.keep.ReservedIds(pod, node));
  const auto spared = topology->PositionsOf(context.keep.SparedIds(pod, node));
  Chosen chosen{.answer = choose(reserved | spared)};
  if (chosen.choice() != nullptr) return chosen;
  if (!(spared - reserved).empty()) chosen = {.answer = choose(reserved), .takes_spared = 1};
  if (chosen.choice() != nullptr || reserved.empty()) return chosen;
  chosen.answer = choose({});
  chosen.is_reserved = chosen.choice() != nullptr;
  return chosen;
}

Answer FitCounted(const cache::NodeView& view, const model::Pod& pod, const CountedGpus& asked,
                  const PlaceContext& context) {
  if (auto reason = RefusedByLabels(asked.match_labels, view.node)) return *std::move(reason);
  const auto topology = context.topologies.Of(view);
  if (!topology) return Reason{ReasonToken::kTooLarge, "the node has no GPUs"};
  const devices::Availability availability = AvailabilityOf(view, *topology, pod.ref.uid);
  context.wishes.Note(topology, devices::TableKey::Of(asked.request));
  const Chosen chosen = ChooseFor(pod, asked, view, topology, availability, context);
  const devices::Choice* choice = chosen.choice();
  if (choice == nullptr) return chosen.answer->why_not;
  if (chosen.is_reserved) return context.keep.WhyReserved();
  const GpuPrice price = PriceOf(*choice, *topology, availability, asked);
  Fit fit{.cost = LeastCostAt(price, context.weights), .ids = &choice->ids};
  fit.cost.takes_spared = chosen.takes_spared;
  return fit;
}

Fit FitWithoutGpus(const cache::NodeView& view) {
  const std::int64_t offered = std::max<std::int64_t>(view.node.allocatable.cpu_milli, 1);
  Fit fit;
  fit.cost.has_gpus_unasked = view.has_gpus() ? 1 : 0;
  fit.cost.cpu_in_use = SaturatedMultiply(view.used.cpu_milli, 1000) / offered;
  return fit;
}

Answer FitGpus(const cache::NodeView& view, const model::Pod& pod, const Ask& ask,
               const PlaceContext& context) {
  if (const auto* named = std::get_if<NamedGpus>(&ask.gpus)) {
    return FitNamed(view, pod, *named, context);
  }
  if (const auto* counted = std::get_if<CountedGpus>(&ask.gpus)) {
    return FitCounted(view, pod, *counted, context);
  }
  return FitWithoutGpus(view);
}

}  // namespace

std::variant<Fit, Reason> FitOn(const cache::NodeView& view, const model::Pod& pod, const Ask& ask,
                                const Company& company, const PlaceContext& context) {
  if (auto reason = RefusedByNode(view, pod, ask, company, context)) return *std::move(reason);
  auto volumes = VolumesOn(pod, view.node, context.storage);
  if (auto* reason = std::get_if<Reason>(&volumes)) return std::move(*reason);
  Answer answer = FitGpus(view, pod, ask, context);
  auto* fit = std::get_if<Fit>(&answer);
  if (fit == nullptr) return answer;
  // Last, so that it is said only where nothing else stands in the way.
  if (auto reason = context.keep.Refuse(pod, ask, view)) return *std::move(reason);
  fit->cost.unwelcome_taints = score::UnwelcomeTaints(*pod.rules, view.node);
  fit->cost.unmet_wishes = score::UnmetWishes(*pod.rules, view.node);
  fit->volumes = std::get<cache::VolumeChoice>(std::move(volumes));
  return answer;
}

Place PlaceFor(const cache::NodeView& view, const model::Pod& pod, const Ask& ask, Fit fit) {
  Place place{.allocation = std::nullopt, .cost = fit.cost, .volumes = std::move(fit.volumes)};
  if (fit.ids != nullptr) place.allocation = AllocationFor(view, pod, ask, *fit.ids);
  return place;
}

std::variant<Place, Reason> PlaceOn(const cache::NodeView& view, const model::Pod& pod,
                                    const Ask& ask, const Company& company,
                                    const PlaceContext& context) {
  Answer answer = FitOn(view, pod, ask, company, context);
  if (auto* reason = std::get_if<Reason>(&answer)) return std::move(*reason);
  return PlaceFor(view, pod, ask, std::get<Fit>(std::move(answer)));
}

Cost LeastCostOn(const cache::NodeView& view, const Ask& ask) {
  return std::holds_alternative<NoGpus>(ask.gpus) ? FitWithoutGpus(view).cost : Cost();
}

Cost LeastCostAt(const GpuPrice& price, const score::SizeWeights& weights) {
  Cost cost;
  cost.misses_preference = price.misses_preference;
  cost.placeable_loss = score::Weigh(price.lost, weights);
  cost.free_gpus_left = price.free_gpus_left;
  return cost;
}

std::optional<GpuPrice> PriceAmong(const FreeGpus& gpus, const CountedGpus& asked,
                                   const PlaceContext& context) {
  if (!gpus.topology || !gpus.HasFree(asked.request.count)) return std::nullopt;
  context.wishes.Note(gpus.topology, devices::TableKey::Of(asked.request));
  const devices::Availability availability = gpus.availability();
  const ChoiceMemo::Answer& answer =
      context.choices.Choose(gpus.topology, availability, asked.request, context.tables);
  const auto* choice = std::get_if<devices::Choice>(&answer.outcome);
  if (choice == nullptr) return std::nullopt;
  return PriceOf(*choice, *gpus.topology, availability, asked);
}

}  // namespace gs::decide
