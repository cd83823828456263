#include "core/decide/devices/miss.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/decide/devices/restriction.h"

namespace gs::devices {
namespace {

Miss MissOf(MissReason reason, const Topology& topology, const Availability& availability,
            const Request& request, GpuSet candidates) {
  return {.reason = reason,
          .asked = request.count,
          .node_has = static_cast<std::int32_t>(topology.size()),
          .available = static_cast<std::int32_t>(candidates.size()),
          .unhealthy = static_cast<std::int32_t>((availability.unhealthy & topology.all()).size()),
          .offending = {},
          .asked_bandwidth_gbps = request.min_bandwidth_gbps,
          .largest_fit = {},
          .best_bandwidth_gbps = 0,
          .if_preferred = {}};
}

std::vector<GpuId> UnknownOf(const Topology& topology, const std::vector<GpuId>& ids) {
  std::vector<GpuId> unknown;
  std::copy_if(ids.begin(), ids.end(), std::back_inserter(unknown),
               [&](GpuId id) { return topology.PositionsOf({id}).empty(); });
  return unknown;
}

// Of the largest allowed sets the one with the lowest ids, so that a user reads the same answer
// every time.
GpuSet LowestLargest(const Problem& problem) {
  const std::size_t size = problem.restriction.Largest(problem.candidates, problem.must).size();
  GpuSet set = problem.must;
  for (const std::size_t position : problem.candidates) {
    const GpuSet with = set | GpuSet::Of(position);
    if (problem.restriction.Largest(problem.candidates, with).size() == size) set = with;
  }
  return size == 0 ? GpuSet() : set;
}

std::size_t LargestIsland(const Problem& problem) {
  std::size_t largest = 0;
  for (const GpuSet island : problem.topology.islands()) {
    largest = std::max(largest, (island & problem.candidates).size());
  }
  return largest;
}

}  // namespace

std::optional<Miss> RefuseEarly(const Topology& topology, const Availability& availability,
                                const Request& request, GpuSet candidates) {
  const auto refuse = [&](MissReason reason) {
    return MissOf(reason, topology, availability, request, candidates);
  };
  if (request.count < 1 || request.share_cap < 1) return refuse(MissReason::kBadRequest);

  const GpuSet must = topology.PositionsOf(request.must_include);
  if (must.size() > static_cast<std::size_t>(request.count)) {
    return refuse(MissReason::kMustIncludeTooMany);
  }
  if (auto unknown = UnknownOf(topology, request.must_include); !unknown.empty()) {
    Miss miss = refuse(MissReason::kMustIncludeUnknown);
    miss.offending = std::move(unknown);
    return miss;
  }
  if (const GpuSet taken = must - candidates; !taken.empty()) {
    Miss miss = refuse(MissReason::kMustIncludeTaken);
    miss.offending = topology.IdsOf(taken);
    return miss;
  }
  if (static_cast<std::size_t>(request.count) > topology.size()) {
    return refuse(MissReason::kMoreThanNodeHas);
  }
  if (static_cast<std::size_t>(request.count) > candidates.size()) {
    return refuse(MissReason::kNotEnoughFree);
  }
  return std::nullopt;
}

Miss ExplainRequired(const Problem& problem, const Availability& availability,
                     const Request& request) {
  Miss miss = MissOf(MissReason::kBandwidthTooLow, problem.topology, availability, request,
                     problem.candidates);
  miss.largest_fit = problem.topology.IdsOf(LowestLargest(problem));
  miss.best_bandwidth_gbps =
      BestBandwidth(problem.topology, problem.candidates, problem.must, problem.count);
  if (LargestIsland(problem) < problem.count) {
    miss.reason = MissReason::kIslandTooSmall;
  } else if (!problem.must.empty() &&
             problem.restriction.Largest(problem.candidates, {}).size() >= problem.count) {
    miss.reason = MissReason::kMustIncludeApart;
    miss.offending = problem.topology.IdsOf(problem.must);
  }
  return miss;
}

}  // namespace gs::devices
