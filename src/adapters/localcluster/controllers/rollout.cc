#include "adapters/localcluster/controllers/rollout.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace gs::localcluster {
namespace {

std::int64_t SumWanted(const std::vector<SetSize>& sets) {
  return std::accumulate(sets.begin(), sets.end(), std::int64_t{0},
                         [](std::int64_t sum, const SetSize& set) { return sum + set.wanted; });
}

std::int64_t SumAvailable(const std::vector<SetSize>& sets) {
  return std::accumulate(sets.begin(), sets.end(), std::int64_t{0},
                         [](std::int64_t sum, const SetSize& set) { return sum + set.available; });
}

// To the nearest whole number, halves upwards.
std::int64_t RoundedShare(std::int64_t part, std::int64_t scaled_by, std::int64_t whole) {
  return (2 * part * scaled_by + whole) / (2 * whole);
}

// By how much a set should change if the whole becomes what the limits allow.
std::int64_t Fraction(const RolloutLimits& limits, std::int64_t status_replicas,
                      const SetSize& set) {
  if (limits.replicas == 0) return -set.wanted;
  const std::int64_t before = set.max_before > 0 ? set.max_before : status_replicas;
  if (before == 0) return 0;
  return RoundedShare(set.wanted, limits.replicas + limits.max_surge, before) - set.wanted;
}

}  // namespace

RolloutLimits LimitsOf(const Json& deployment) {
  RolloutLimits limits{.replicas = Int(deployment, {"spec", "replicas"}, 1)};
  limits.is_rolling = Text(deployment, {"spec", "strategy", "type"}) != "Recreate";
  if (!limits.is_rolling) return limits;
  const Json* surge = Find(deployment, {"spec", "strategy", "rollingUpdate", "maxSurge"});
  const Json* unavailable =
      Find(deployment, {"spec", "strategy", "rollingUpdate", "maxUnavailable"});
  limits.max_surge = IntOrPercent(surge, limits.replicas, Rounding::kUp, 0);
  limits.max_unavailable = IntOrPercent(unavailable, limits.replicas, Rounding::kDown, 0);
  // Or nothing could ever move.
  if (limits.max_surge == 0 && limits.max_unavailable == 0) limits.max_unavailable = 1;
  limits.max_unavailable = std::min(limits.max_unavailable, limits.replicas);
  return limits;
}

std::int64_t NewSetSize(const RolloutLimits& limits, const SetSize& newest,
                        std::int64_t total_wanted) {
  if (!limits.is_rolling || newest.wanted >= limits.replicas) return limits.replicas;
  const std::int64_t room = limits.replicas + limits.max_surge - total_wanted;
  if (room <= 0) return newest.wanted;
  return newest.wanted + std::min(room, limits.replicas - newest.wanted);
}

std::vector<std::int64_t> OldSetSizes(const RolloutLimits& limits, const SetSize& newest,
                                      const std::vector<SetSize>& old) {
  std::vector<std::int64_t> sizes;
  sizes.reserve(old.size());
  for (const SetSize& set : old) sizes.push_back(set.wanted);
  const std::int64_t min_available = limits.replicas - limits.max_unavailable;
  const std::int64_t new_unavailable = newest.wanted - newest.available;
  std::int64_t may_go = SumWanted(old) + newest.wanted - min_available - new_unavailable;
  if (may_go <= 0) return sizes;

  for (std::size_t i = 0; i < old.size(); ++i) {
    const std::int64_t dead = std::max<std::int64_t>(0, old[i].wanted - old[i].available);
    const std::int64_t gone = std::min(may_go, dead);
    sizes[i] -= gone;
    may_go -= gone;
  }
  std::int64_t spare = SumAvailable(old) + newest.available - min_available;
  for (std::int64_t& size : sizes) {
    const std::int64_t gone = std::clamp<std::int64_t>(spare, 0, size);
    size -= gone;
    spare -= gone;
  }
  return sizes;
}

std::vector<std::int64_t> ProportionalSizes(const RolloutLimits& limits,
                                            std::int64_t status_replicas,
                                            const std::vector<SetSize>& sets) {
  const std::int64_t allowed = limits.replicas > 0 ? limits.replicas + limits.max_surge : 0;
  const std::int64_t change = allowed - SumWanted(sets);
  std::int64_t done = 0;
  std::vector<std::int64_t> sizes;
  for (const SetSize& set : sets) {
    const std::int64_t share = set.wanted == 0 ? 0 : Fraction(limits, status_replicas, set);
    const std::int64_t step =
        change > 0 ? std::min(share, change - done) : std::max(share, change - done);
    sizes.push_back(set.wanted + (change == 0 ? 0 : step));
    done += change == 0 ? 0 : step;
  }
  // What rounding left over goes to the largest.
  if (!sizes.empty()) sizes.front() = std::max<std::int64_t>(0, sizes.front() + change - done);
  return sizes;
}

}  // namespace gs::localcluster
