#include "core/decide/devices/table.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "core/decide/devices/restriction.h"
#include "core/decide/devices/subsets.h"

namespace gs::devices {
namespace {

// A set with everything of its key that does not depend on what else is free.
struct RankedSet {
  Mask mask = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::uint64_t lowest_ids = 0;
  std::uint64_t first_rank = 0;  // larger is better; equal for equal `first`
};

// All allowed sets of the asked size, worst first by what is decided after the partition: the index
// of a set is its rank there, unique, and below 2^14 because 16 GPUs have at most 12,870 sets of
// one size.
std::vector<RankedSet> RankSets(const Objective& objective, const Restriction& restriction,
                                std::size_t gpus, int count) {
  std::vector<RankedSet> sets;
  auto visit = [&](Mask mask) {
    const GpuSet set(mask);
    if (!restriction.Allows(set)) return;
    sets.push_back({.mask = mask,
                    .first = objective.First(set),
                    .last = objective.Last(set),
                    .lowest_ids = Objective::LowestIds(set)});
  };
  ForEachSubset<Mask>(static_cast<Mask>(GpuSet::FirstN(gpus).bits()), count, 0, visit);
  std::sort(sets.begin(), sets.end(), [](const RankedSet& a, const RankedSet& b) {
    return std::tie(a.last, a.lowest_ids) < std::tie(b.last, b.lowest_ids);
  });
  return sets;
}

void RankFirst(std::vector<RankedSet>& sets) {
  std::vector<std::int64_t> values;
  values.reserve(sets.size());
  for (const auto& set : sets) values.push_back(set.first);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  for (auto& set : sets) {
    const auto at = std::lower_bound(values.begin(), values.end(), set.first);
    set.first_rank = static_cast<std::uint64_t>(at - values.begin());
  }
}

// Key parts in one number, most important first: 16 bits of first rank, 32 of partition, 16 of set
// rank. Adding one to the set rank keeps 0 free for "no set".
class PackedKey {
 public:
  [[nodiscard]] static std::uint64_t Set(const RankedSet& set, std::size_t rank,
                                         std::int64_t partition) {
    return (set.first_rank << 48) | (static_cast<std::uint64_t>(partition) << 16) |
           (static_cast<std::uint64_t>(rank) + 1);
  }
  [[nodiscard]] static std::uint64_t Rest(std::int64_t partition) {
    return static_cast<std::uint64_t>(partition + kPartitionOffset) << 16;
  }
  [[nodiscard]] static std::size_t RankOf(std::uint64_t key) { return (key & 0xffff) - 1; }

 private:
  static constexpr std::int64_t kPartitionOffset = 256;  // fewer runs in the rest count below zero
};

// For every rest: what it adds to the partition part of a key, packed.
std::vector<std::uint64_t> PackRests(const Objective& objective, const MaskPartition& partition,
                                     std::size_t gpus) {
  std::vector<std::uint64_t> packed(std::size_t{1} << gpus);
  for (Mask rest = 0; rest < packed.size(); ++rest) {
    packed[rest] = PackedKey::Rest(objective.PartitionOfRest(GpuSet(rest), partition.Best(rest)));
  }
  return packed;
}

// Every set of free GPUs is a chosen set plus a rest outside it: walks all such pairs and keeps the
// best key for each set of free GPUs.
std::vector<std::uint64_t> BestKeys(const Objective& objective, const MaskPartition& partition,
                                    const std::vector<RankedSet>& sets, std::size_t gpus) {
  const auto rests = PackRests(objective, partition, gpus);
  const auto all = static_cast<Mask>(rests.size() - 1);
  std::vector<std::uint64_t> best(rests.size(), 0);
  for (std::size_t rank = 0; rank < sets.size(); ++rank) {
    const Mask set = sets[rank].mask;
    const std::uint64_t fixed =
        PackedKey::Set(sets[rank], rank, objective.PartitionOfSet(partition.Score(set)));
    const Mask outside = all & ~set;
    for (Mask rest = outside;; rest = (rest - 1) & outside) {
      best[set | rest] = std::max(best[set | rest], fixed + rests[rest]);
      if (rest == 0) break;
    }
  }
  return best;
}

}  // namespace

TableKey TableKey::Of(const Request& request) {
  const bool is_required = request.mode == model::TopologyMode::kRequired;
  return {.count = request.count,
          .aim = AimOf(request),
          .is_required = is_required,
          .min_bandwidth_gbps = is_required ? request.min_bandwidth_gbps : 0};
}

bool CanBuildTable(const Topology& topology, const TableKey& key) {
  const std::size_t gpus = topology.size();
  return gpus <= kMaxMaskGpus && key.count >= 1 && static_cast<std::size_t>(key.count) <= gpus;
}

std::size_t TableBytes(const Topology& topology) {
  constexpr std::size_t kPerSet = sizeof(std::uint16_t) + 2 * sizeof(std::int32_t);
  return kPerSet << topology.size();
}

std::optional<Table> BuildTable(const Topology& topology, const TableKey& key) {
  if (!CanBuildTable(topology, key)) return std::nullopt;
  const std::size_t gpus = topology.size();
  const Availability nobody = Availability::AllFree(gpus);
  const Objective objective(topology, nobody, key.aim);
  const auto restriction = key.is_required
                               ? Restriction::OneIsland(topology, key.min_bandwidth_gbps)
                               : Restriction::None(topology);
  MaskPartition partition(topology, topology.all(), key.count);
  std::vector<RankedSet> sets = RankSets(objective, restriction, gpus, key.count);
  RankFirst(sets);
  std::vector<std::uint16_t> choice(std::size_t{1} << gpus, 0);
  const auto best = BestKeys(objective, partition, sets, gpus);
  for (std::size_t free = 0; free < best.size(); ++free) {
    if (best[free] == 0) continue;
    choice[free] = static_cast<std::uint16_t>(sets[PackedKey::RankOf(best[free])].mask);
  }
  return Table(std::move(partition), std::move(choice));
}

const Table* TableCache::Find(const Topology& topology, const TableKey& key) const {
  const auto shape = tables_.find(topology);
  if (shape == tables_.end()) return nullptr;
  const auto table = shape->second.find(key);
  return table == shape->second.end() ? nullptr : &table->second;
}

void TableCache::Add(const Topology& topology, const TableKey& key, Table table) {
  tables_[topology].insert_or_assign(key, std::move(table));
}

}  // namespace gs::devices
