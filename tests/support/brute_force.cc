#include "tests/support/brute_force.h"

#include <algorithm>

namespace gs::testing {
namespace {

using devices::GpuSet;
using devices::Topology;
using model::DevicePolicy;
using model::TopologyMode;

std::int64_t SumOfPairs(const Topology& topology, const std::vector<std::size_t>& gpus) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    for (std::size_t j = i + 1; j < gpus.size(); ++j) sum += topology.PairScore(gpus[i], gpus[j]);
  }
  return sum;
}

// Deals the GPUs one by one into numbered sets with room; every partition is met, many of them
// several times.
std::int64_t Deal(const Topology& topology, const std::vector<std::size_t>& gpus, std::size_t next,
                  std::vector<std::vector<std::size_t>>& sets,
                  const std::vector<std::size_t>& room) {
  if (next == gpus.size()) {
    std::int64_t total = 0;
    for (const auto& set : sets) total += SumOfPairs(topology, set);
    return total;
  }
  std::int64_t best = -1;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (sets[i].size() == room[i]) continue;
    const bool same_as_before =
        i > 0 && sets[i].empty() && sets[i - 1].empty() && room[i] == room[i - 1];
    if (same_as_before) continue;
    sets[i].push_back(gpus[next]);
    best = std::max(best, Deal(topology, gpus, next + 1, sets, room));
    sets[i].pop_back();
  }
  return best;
}

std::vector<GpuSet> SubsetsOf(GpuSet pool, std::size_t size) {
  std::vector<GpuSet> sets;
  for (std::uint64_t bits = pool.bits();; bits = (bits - 1) & pool.bits()) {
    if (GpuSet(bits).size() == size) sets.emplace_back(bits);
    if (bits == 0) return sets;
  }
}

GpuSet CandidatesFor(const Topology& topology, const devices::Availability& availability,
                     const devices::Request& request) {
  GpuSet candidates;
  for (const std::size_t gpu : topology.all()) {
    const bool has_room = request.exclusivity == model::Exclusivity::kShared &&
                          availability.sharers[gpu] > 0 &&
                          availability.sharers[gpu] < request.share_cap;
    const bool is_unused = availability.unused.Has(gpu);
    if ((is_unused || has_room) && !availability.unhealthy.Has(gpu)) candidates.Add(gpu);
  }
  return candidates;
}

bool ShareGroup(const std::vector<GpuSet>& groups, std::size_t a, std::size_t b) {
  return std::any_of(groups.begin(), groups.end(),
                     [&](GpuSet group) { return group.Has(a) && group.Has(b); });
}

std::int64_t PairsSharing(const std::vector<GpuSet>& groups, GpuSet set) {
  std::int64_t pairs = 0;
  for (const std::size_t a : set) {
    for (const std::size_t b : set) pairs += a < b && ShareGroup(groups, a, b) ? 1 : 0;
  }
  return pairs;
}

std::int64_t Runs(const Topology& topology, GpuSet set) {
  std::int64_t runs = 0;
  std::optional<std::int32_t> last;
  for (const GpuId id : topology.IdsOf(set)) {
    if (!last || id.number() != *last + 1) ++runs;
    last = id.number();
  }
  return runs;
}

std::int64_t Span(const Topology& topology, GpuSet set) {
  const auto ids = topology.IdsOf(set);
  return ids.empty() ? 0 : ids.back().number() - ids.front().number();
}

// All criteria as a list, larger is better; the ids come last, lower first.
std::vector<std::int64_t> Worth(const Topology& topology, const devices::Availability& availability,
                                const devices::Request& request, GpuSet unused, GpuSet set) {
  std::vector<std::int64_t> worth{0, 0};
  for (const std::size_t gpu : set) {
    worth[0] += availability.sharers[gpu] > 0 ? 1 : 0;
    worth[1] += availability.sharers[gpu];
  }
  const GpuSet left = unused - set;
  const std::vector<std::size_t> members(set.begin(), set.end());
  const std::vector<std::size_t> rest(left.begin(), left.end());
  const auto count = static_cast<std::size_t>(request.count);
  const std::int64_t rest_score =
      count == 1 ? SumOfPairs(topology, rest) : BruteForcePartition(topology, rest, count);
  const std::int64_t score = SumOfPairs(topology, members);
  const std::int64_t runs = Runs(topology, set);
  const std::int64_t span = Span(topology, set);
  std::vector<std::int64_t> more;
  if (request.policy == DevicePolicy::kSpread) {
    more = {-PairsSharing(topology.islands(), set), -PairsSharing(topology.numa_nodes(), set),
            -PairsSharing(topology.switches(), set), -score, rest_score};
  } else if (request.mode == TopologyMode::kIgnore) {
    more = {-runs, -span, rest_score, -Runs(topology, left)};
  } else {
    more = {-static_cast<std::int64_t>(topology.IslandsTouched(set)), score + rest_score, score,
            -runs, -span};
  }
  worth.insert(worth.end(), more.begin(), more.end());
  for (const GpuId id : topology.IdsOf(set)) worth.push_back(-id.number());
  return worth;
}

std::optional<GpuSet> BestOf(const Topology& topology, const devices::Availability& availability,
                             const devices::Request& request, GpuSet must) {
  const GpuSet candidates = CandidatesFor(topology, availability, request);
  std::optional<GpuSet> best;
  std::vector<std::int64_t> best_worth;
  for (const GpuSet set : SubsetsOf(candidates, static_cast<std::size_t>(request.count))) {
    if (!set.Contains(must) || !SatisfiesTopology(topology, request, set)) continue;
    auto worth = Worth(topology, availability, request, candidates & availability.unused, set);
    if (best && worth <= best_worth) continue;
    best = set;
    best_worth = std::move(worth);
  }
  return best;
}

}  // namespace

std::int64_t BruteForcePartition(const Topology& topology, std::vector<std::size_t> gpus,
                                 std::size_t size) {
  if (gpus.empty()) return 0;
  std::vector<std::size_t> room(gpus.size() / size, size);
  if (gpus.size() % size != 0) room.push_back(gpus.size() % size);
  std::vector<std::vector<std::size_t>> sets(room.size());
  return Deal(topology, gpus, 0, sets, room);
}

bool SatisfiesTopology(const Topology& topology, const devices::Request& request, GpuSet set) {
  if (request.mode != TopologyMode::kRequired) return true;
  for (const std::size_t a : set) {
    for (const std::size_t b : set) {
      if (a == b) continue;
      if (!ShareGroup(topology.islands(), a, b)) return false;
      if (topology.PairBandwidth(a, b) < request.min_bandwidth_gbps) return false;
    }
  }
  return true;
}

std::optional<GpuSet> BruteForceChoice(const Topology& topology,
                                       const devices::Availability& availability,
                                       const devices::Request& request) {
  if (request.count < 1) return std::nullopt;
  GpuSet must;
  for (const GpuId id : request.must_include) {
    const GpuSet position = topology.PositionsOf({id});
    if (position.empty()) return std::nullopt;
    must = must | position;
  }
  if (request.policy == DevicePolicy::kPreferIds) {
    for (const GpuId id : request.prefer_ids) {
      const GpuSet wished = must | topology.PositionsOf({id});
      if (BestOf(topology, availability, request, wished)) must = wished;
    }
  }
  return BestOf(topology, availability, request, must);
}

}  // namespace gs::testing
