#include "core/decide/devices/choose.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/decide/devices/bounded_search.h"
#include "core/decide/devices/class_search.h"
#include "core/decide/devices/mask_search.h"
#include "core/decide/devices/miss.h"
#include "core/decide/devices/objective.h"
#include "core/decide/devices/problem.h"
#include "core/decide/devices/restriction.h"

namespace gs::devices {
namespace {

// Steps of the class search before it gives way to the bounded one; some tenths of a second at the
// very most.
constexpr std::int64_t kClassBudget = 1'000'000;

// The ids a preferIds request can have, in the order written: each joins if a set with it and those
// before exists.
GpuSet PreferredOf(const Request& request, const Problem& problem) {
  GpuSet must = problem.must;
  if (request.policy != model::DevicePolicy::kPreferIds) return must;
  for (const GpuId id : request.prefer_ids) {
    const GpuSet wished = problem.topology.PositionsOf({id}) & problem.candidates;
    const GpuSet with = must | wished;
    if (with.size() > problem.count) continue;
    if (problem.restriction.Largest(problem.candidates, with).size() >= problem.count) must = with;
  }
  return must;
}

std::optional<Found> LookUp(const Problem& problem, const Table& table) {
  const GpuSet set = table.Best(problem.unused);
  if (set.empty()) return std::nullopt;
  const MaskPartition& partition = table.partition();
  const GpuSet rest = problem.unused - set;
  return Found{.set = set, .rest_score = partition.Best(static_cast<Mask>(rest.bits()))};
}

// The direct search, whichever fits the number of candidates.
std::optional<Found> SearchDirectly(const Problem& problem, const Table* table) {
  if (table != nullptr) return SearchMasks(problem, table->partition());
  if (problem.candidates.size() <= kMaxMaskGpus) {
    const MaskPartition partition(problem.topology, problem.candidates,
                                  static_cast<int>(problem.count));
    return SearchMasks(problem, partition);
  }
  if (problem.restriction.Largest(problem.candidates, problem.must).size() < problem.count) {
    return std::nullopt;
  }
  if (auto found = SearchClasses(problem, Budget(kClassBudget))) return found;
  return SearchBounded(problem);
}

Choice ChoiceOf(const Topology& topology, const Found& found) {
  const std::int64_t set_score = topology.ScoreOf(found.set);
  return {.set = found.set,
          .ids = topology.IdsOf(found.set),
          .islands = static_cast<std::int32_t>(topology.IslandsTouched(found.set)),
          .partition_score = set_score + found.rest_score,
          .set_score = set_score,
          .runs = topology.RunsOf(found.set),
          .span = topology.SpanOf(found.set),
          .min_bandwidth_gbps = topology.MinBandwidthOf(found.set),
          .is_exact = found.is_exact};
}

GpuSet CandidatesOf(const Topology& topology, const Availability& availability,
                    const Request& request) {
  GpuSet candidates = availability.unused;
  if (request.exclusivity == model::Exclusivity::kShared) {
    for (const std::size_t position : topology.all()) {
      const std::int32_t sharers = availability.sharers[position];
      if (sharers > 0 && sharers < request.share_cap) candidates.Add(position);
    }
  }
  return (candidates & topology.all()) - availability.unhealthy;
}

}  // namespace

Outcome Choose(const Topology& topology, const Availability& availability, const Request& request,
               const TableCache* tables) {
  const GpuSet candidates = CandidatesOf(topology, availability, request);
  if (auto miss = RefuseEarly(topology, availability, request, candidates)) return *miss;

  const Objective objective(topology, availability, AimOf(request));
  const Restriction restriction = Restriction::Of(topology, request);
  Problem problem{.topology = topology,
                  .objective = objective,
                  .restriction = restriction,
                  .candidates = candidates,
                  .unused = candidates & availability.unused,
                  .must = topology.PositionsOf(request.must_include),
                  .count = static_cast<std::size_t>(request.count)};
  problem.must = PreferredOf(request, problem);

  const Table* table = tables == nullptr ? nullptr : tables->Find(topology, TableKey::Of(request));
  const bool is_plain = problem.must.empty() && problem.unused == problem.candidates;
  const auto found =
      table != nullptr && is_plain ? LookUp(problem, *table) : SearchDirectly(problem, table);
  if (found && !found->set.empty()) return ChoiceOf(topology, *found);

  Miss miss = ExplainRequired(problem, availability, request);
  Request relaxed = request;
  relaxed.mode = model::TopologyMode::kPreferred;
  const Outcome instead = Choose(topology, availability, relaxed, tables);
  if (const auto* choice = std::get_if<Choice>(&instead)) miss.if_preferred = choice->ids;
  return miss;
}

}  // namespace gs::devices
