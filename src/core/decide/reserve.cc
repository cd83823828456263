#include "core/decide/reserve.h"

#include <algorithm>
#include <compare>
#include <utility>
#include <vector>

#include "base/saturated.h"
#include "core/decide/named_node.h"
#include "core/decide/without_pods.h"
#include "core/model/gpu_resource.h"
#include "core/model/resource_sum.h"

namespace gs::decide {
namespace {

// A node and what speaks for it: the smallest wins.
struct Candidate {
  std::int64_t gpus_to_free = 0;
  TimePoint oldest_holder;
  NodeName node;
  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

std::int64_t HeldByOthers(const cache::NodeView& view, const std::vector<GpuId>& ids,
                          const PodUid& pod) {
  return std::count_if(ids.begin(), ids.end(), [&](GpuId id) {
    const auto holders = view.holders.Of(id);
    return std::any_of(holders.begin(), holders.end(),
                       [&pod](const cache::Holder& holder) { return holder.pod.uid != pod; });
  });
}

std::int64_t GivenNow(const cache::NodeView& view, const devices::Topology& topology,
                      const devices::Request& request, const PodUid& pod) {
  const devices::Availability availability = AvailabilityOf(view, topology, pod);
  std::int64_t given =
      static_cast<std::int64_t>((availability.unused - availability.unhealthy).size());
  if (request.exclusivity != model::Exclusivity::kShared) return given;
  return given + std::count_if(availability.sharers.begin(), availability.sharers.end(),
                               [&request](std::int32_t sharers) {
                                 return sharers > 0 && sharers < request.share_cap;
                               });
}

// How many GPUs more the device plugins of the node would have to have.
std::int64_t ShortByNumber(const cache::NodeView& view, const model::Pod& pod) {
  const auto lack = [](std::int64_t asked, std::int64_t offered, std::int64_t used) {
    return asked > 0 ? SaturatedSubtract(asked, offered - used) : 0;
  };
  const model::Resources& asked = pod.requests;
  const model::Resources& offered = view.node.allocatable;
  const model::ResourceSum& used = view.used;
  std::int64_t most = lack(asked.gpus, offered.gpus, used.gpus);
  for (const auto& [name, amount] : asked.others) {
    if (!model::IsWholeGpuResource(name)) continue;
    most = std::max(most, lack(amount, offered.others.Of(name), used.Other(name)));
  }
  return most;
}

void Add(std::vector<Candidate>& candidates, const cache::NodeView& view, const model::Pod& pod,
         const Ask& ask, const cache::Cache& cache, const PlaceContext& context) {
  const std::vector<model::PodRef> holders = GpuPodsOn(view, cache);
  if (holders.empty() || SizeOf(ask) == 0) return;
  const auto oldest = cache.pods().find(holders.front().uid);
  candidates.push_back({GpusShort(view, pod, ask, context),
                        oldest == cache.pods().end() ? TimePoint{} : oldest->second.bound_at,
                        view.node.name});
}

std::vector<Candidate> CandidatesFor(const model::Pod& pod, const Ask& ask,
                                     const cache::Cache& cache, const PlaceContext& context) {
  std::vector<Candidate> candidates;
  if (const auto* named = std::get_if<NamedGpus>(&ask.gpus)) {
    const auto node = NamedNode(named->node, cache);
    const auto* name = std::get_if<NodeName>(&node);
    if (name != nullptr) Add(candidates, *cache.FindNode(*name), pod, ask, cache, context);
    return candidates;
  }
  for (const auto& [name, view] : cache.nodes()) Add(candidates, view, pod, ask, cache, context);
  std::sort(candidates.begin(), candidates.end());
  return candidates;
}

cache::NodeView Freed(const cache::NodeView& view, const cache::Cache& cache,
                      const std::set<PodUid>& staying) {
  cache::NodeView freed = view;
  for (const model::PodRef& holder : GpuPodsOn(view, cache)) {
    if (!staying.contains(holder.uid)) TakeOff(freed, holder.uid, cache);
  }
  return freed;
}

}  // namespace

std::int64_t GpusShort(const cache::NodeView& view, const model::Pod& pod, const Ask& ask,
                       const PlaceContext& context) {
  if (const auto* named = std::get_if<NamedGpus>(&ask.gpus)) {
    return HeldByOthers(view, named->ids, pod.ref.uid);
  }
  const auto* counted = std::get_if<CountedGpus>(&ask.gpus);
  if (counted == nullptr) return 0;
  const auto topology = context.topologies.Of(view);
  const std::int64_t given =
      topology ? GivenNow(view, *topology, counted->request, pod.ref.uid) : 0;
  return std::max({std::int64_t{0}, counted->request.count - given, ShortByNumber(view, pod)});
}

bool FitsOnceFreed(const cache::NodeView& view, const model::Pod& pod, const Ask& ask,
                   const cache::Cache& cache, const PlaceContext& context,
                   const std::set<PodUid>& staying) {
  const Company company(pod, cache);
  return std::holds_alternative<Place>(
      PlaceOn(Freed(view, cache, staying), pod, ask, company, context));
}

std::optional<Reservation> FindReservation(const model::Pod& pod, const Ask& ask,
                                           const cache::Cache& cache, const PlaceContext& context,
                                           const std::set<PodUid>& staying) {
  const Company company(pod, cache);
  for (const Candidate& candidate : CandidatesFor(pod, ask, cache, context)) {
    const cache::NodeView freed = Freed(*cache.FindNode(candidate.node), cache, staying);
    if (!std::holds_alternative<Place>(PlaceOn(freed, pod, ask, company, context))) continue;
    const auto* named = std::get_if<NamedGpus>(&ask.gpus);
    return Reservation{
        .pod = pod.ref,
        .priority = pod.priority,
        .controller = named != nullptr && pod.controller ? pod.controller->uid : ControllerUid(),
        .requests = pod.requests,
        .node = candidate.node,
        .ids = named == nullptr ? std::vector<GpuId>() : named->ids,
        .gpus_to_free = candidate.gpus_to_free,
        .since = {},
        .until = {}};
  }
  return std::nullopt;
}

}  // namespace gs::decide
