#include "core/decide/devices/objective.h"

namespace gs::devices {
namespace {

// Several small criteria in one number, the earlier ones in the higher bits. The widths hold 64
// GPUs: at most 2,016 pairs, scores below 2^26, 64 runs, ids below 2^16.
constexpr std::int64_t kMaxRuns = 127;
constexpr std::int64_t kMaxSpan = (1 << 17) - 1;
constexpr int kScoreBits = 26;
constexpr int kPairBits = 11;

std::int64_t Adjacency(const Topology& topology, GpuSet set) {
  return ((kMaxRuns - topology.RunsOf(set)) << 17) | (kMaxSpan - topology.SpanOf(set));
}

std::int64_t Closeness(const Topology& topology, GpuSet set) {
  std::int64_t closeness = PairsInside(topology.islands(), set);
  closeness = (closeness << kPairBits) | PairsInside(topology.numa_nodes(), set);
  closeness = (closeness << kPairBits) | PairsInside(topology.switches(), set);
  return (closeness << kScoreBits) | topology.ScoreOf(set);
}

}  // namespace

std::int64_t PairsInside(const std::vector<GpuSet>& groups, GpuSet set) {
  std::int64_t pairs = 0;
  for (const GpuSet group : groups) {
    const auto members = static_cast<std::int64_t>((group & set).size());
    pairs += members * (members - 1) / 2;
  }
  return pairs;
}

Aim AimOf(const Request& request) {
  if (request.policy == model::DevicePolicy::kSpread) return Aim::kApart;
  return request.mode == model::TopologyMode::kIgnore ? Aim::kAdjacent : Aim::kTogether;
}

std::int64_t Objective::Sharing(GpuSet set) const {
  std::int64_t shared = 0;
  std::int64_t load = 0;
  for (const std::size_t position : set) {
    const std::int32_t sharers = availability_.sharers[position];
    shared += sharers > 0 ? 1 : 0;
    load += sharers;
  }
  return (shared << 32) | load;
}

std::int64_t Objective::First(GpuSet set) const {
  switch (aim_) {
    case Aim::kTogether: return -static_cast<std::int64_t>(topology_.IslandsTouched(set));
    case Aim::kAdjacent: return Adjacency(topology_, set);
    case Aim::kApart: return -Closeness(topology_, set);
  }
  return 0;
}

std::int64_t Objective::Last(GpuSet set) const {
  if (aim_ != Aim::kTogether) return 0;
  return (topology_.ScoreOf(set) << 24) | Adjacency(topology_, set);
}

std::uint64_t Objective::LowestIds(GpuSet set) {
  // At the lowest position where two sets differ, the one that has it is lower: compare mirrored
  // masks.
  std::uint64_t mirrored = 0;
  for (const std::size_t position : set) mirrored |= std::uint64_t{1} << (63 - position);
  return mirrored;
}

std::int64_t Objective::PartitionOfSet(std::int64_t set_score) const {
  return aim_ == Aim::kTogether ? set_score : 0;
}

std::int64_t Objective::PartitionOfRest(GpuSet rest, std::int64_t rest_score) const {
  // Where adjacency is all that counts, others will want adjacent ids too.
  return aim_ == Aim::kAdjacent ? rest_score * 128 - topology_.RunsOf(rest) : rest_score;
}

Key Objective::KeyOf(GpuSet set, GpuSet rest, std::int64_t rest_score) const {
  return {.sharing = Sharing(set),
          .first = First(set),
          .partition = PartitionOfSet(topology_.ScoreOf(set)) + PartitionOfRest(rest, rest_score),
          .last = Last(set),
          .lowest_ids = LowestIds(set)};
}

}  // namespace gs::devices
