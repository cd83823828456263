#include "core/decide/devices/class_search.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/decide/devices/adjacent_sets.h"
#include "core/decide/devices/class_limits.h"
#include "core/decide/devices/wiring_classes.h"

namespace gs::devices {
namespace {

// Sets that tie on everything but ids; more than this many cannot be told apart inside the budget.
constexpr std::size_t kMaxTies = 4096;

// A machine with more kinds of GPUs than this has no structure to use; the budget would only be
// wasted.
constexpr std::size_t kMaxClasses = 32;

class ClassSearch {
 public:
  ClassSearch(const Problem& problem, Budget& budget)
      : problem_(problem),
        budget_(budget),
        classes_(problem),
        partition_(classes_, problem.count, budget),
        limits_(problem),
        available_(classes_.CountsOf(problem.candidates)),
        unused_(classes_.CountsOf(problem.unused)) {}

  Found Run() {
    if (classes_.size() > kMaxClasses) {
      budget_.SpendAll();
    } else if (problem_.objective.aim() == Aim::kAdjacent) {
      SearchAdjacent();
    } else {
      ClassCounts counts(classes_.size());
      Extend(counts, 0, problem_.count, GpuSet());
      for (const ClassCounts& tied : ties_) PickAmongReplicas(tied, 0);
    }
    return best_;
  }

 private:
  // Everything about a set that its counts decide.
  using Worth = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

  [[nodiscard]] ClassCounts RestOf(const ClassCounts& counts) const {
    ClassCounts rest = unused_;
    for (std::size_t cls = 0; cls < rest.size(); ++cls) {
      if (rest[cls] > 0) rest[cls] = static_cast<std::uint8_t>(rest[cls] - counts[cls]);
    }
    return rest;
  }

  // Visits all counts, those of replicas in descending order only. `set` has the GPUs of the
  // classes before.
  void Extend(ClassCounts& counts, std::size_t cls, std::size_t missing, GpuSet set) {
    if (budget_.is_spent() || !limits_.Allow(set) || !problem_.restriction.Allows(set)) return;
    if (cls == classes_.size()) {
      if (missing == 0) Consider(counts, set);
      return;
    }
    const GpuSet members = classes_.members(cls);
    const std::size_t least = problem_.must.Has(members.First()) ? members.size() : 0;
    const std::size_t most = MostOf(counts, cls, missing);
    for (std::size_t share = most + 1; share-- > least;) {
      if (!budget_.Spend()) return;
      counts[cls] = static_cast<std::uint8_t>(share);
      Extend(counts, cls + 1, missing - share, set | members.Lowest(share));
    }
    counts[cls] = 0;
  }

  [[nodiscard]] std::size_t MostOf(const ClassCounts& counts, std::size_t cls,
                                   std::size_t missing) const {
    const std::size_t most = std::min<std::size_t>(available_[cls], missing);
    for (std::size_t before = cls; before-- > classes_.replica(cls);) {
      if (classes_.replica(before) != classes_.replica(cls)) continue;
      return std::min<std::size_t>(most, counts[before]);
    }
    return most;
  }

  void Consider(const ClassCounts& counts, GpuSet set) {
    const Objective& objective = problem_.objective;
    const std::int64_t score = classes_.ScoreOf(counts);
    const std::int64_t of_set = objective.PartitionOfSet(score);
    const std::int64_t last = objective.aim() == Aim::kTogether ? score : 0;
    const ClassCounts rest = RestOf(counts);
    Worth worth{objective.Sharing(set), objective.First(set), of_set, last};
    std::get<2>(worth) +=
        problem_.count == 1 ? classes_.ScoreOf(rest) : partition_.UpperBound(rest);
    if (!ties_.empty() && worth < best_worth_) return;
    // What is worse than the best so far need not be known exactly.
    const bool is_race = !ties_.empty() && std::get<0>(worth) == std::get<0>(best_worth_) &&
                         std::get<1>(worth) == std::get<1>(best_worth_);
    const std::int64_t floor = is_race ? std::get<2>(best_worth_) - of_set - 1 : -1;
    std::get<2>(worth) = of_set + partition_.Best(rest, floor);
    if (!ties_.empty() && worth < best_worth_) return;
    if (worth != best_worth_) ties_.clear();
    best_worth_ = worth;
    ties_.push_back(counts);
    if (ties_.size() > kMaxTies) budget_.SpendAll();
  }

  // Counts of replicas may be dealt out to them in any order, and ids decide now: tries every
  // order, family by family. Single GPUs that are replicas are one pool instead, see PoolsOf.
  void PickAmongReplicas(const ClassCounts& counts, std::size_t first) {
    if (!budget_.Spend()) return;
    if (first == classes_.size()) return PickIds(counts);
    std::vector<std::size_t> replicas;
    for (std::size_t cls = first; cls < classes_.size(); ++cls) {
      if (classes_.replica(cls) == first) replicas.push_back(cls);
    }
    ClassCounts dealt;
    for (const std::size_t cls : replicas) dealt.push_back(counts[cls]);
    std::sort(dealt.begin(), dealt.end(), std::greater<>());
    const bool is_pool = classes_.members(first).size() == 1;
    do {
      ClassCounts next = counts;
      for (std::size_t i = 0; i < replicas.size(); ++i) next[replicas[i]] = dealt[i];
      PickAmongReplicas(next, first + 1);
    } while (!is_pool && !budget_.is_spent() && std::prev_permutation(dealt.begin(), dealt.end()));
  }

  [[nodiscard]] std::vector<Pool> PoolsOf(const ClassCounts& counts) const {
    std::vector<Pool> pools(classes_.size());
    for (std::size_t cls = 0; cls < counts.size(); ++cls) {
      const bool is_single = classes_.members(cls).size() == 1;
      Pool& pool = pools[is_single ? classes_.replica(cls) : cls];
      pool.gpus = pool.gpus | classes_.members(cls);
      pool.count += counts[cls];
    }
    std::erase_if(pools, [](const Pool& pool) { return pool.count == 0; });
    return pools;
  }

  void PickIds(const ClassCounts& counts) {
    const std::vector<Pool> pools = PoolsOf(counts);
    if (problem_.objective.aim() == Aim::kTogether) {
      for (const GpuSet set : MostAdjacentSets(problem_.topology, pools, 1, budget_)) Keep(set);
      return;
    }
    GpuSet lowest;
    for (const Pool& pool : pools) lowest = lowest | pool.gpus.Lowest(pool.count);
    Keep(lowest);
  }

  // Adjacency comes first here, so the few most adjacent sets are compared by what they leave.
  // Sharing still comes before it: GPUs with more sharers are all taken before those with fewer.
  void SearchAdjacent() {
    const auto sets = MostAdjacentSets(problem_.topology, PoolsBySharing(), kMaxTies + 1, budget_);
    if (sets.size() > kMaxTies) budget_.SpendAll();
    for (const GpuSet set : sets) {
      if (!budget_.is_spent()) Keep(set);
    }
  }

  [[nodiscard]] std::vector<Pool> PoolsBySharing() const {
    std::vector<Pool> pools{{problem_.must, problem_.must.size()}};
    std::size_t missing = problem_.count - problem_.must.size();
    GpuSet left = problem_.candidates - problem_.must;
    while (missing > 0 && !left.empty()) {
      const GpuSet fullest = FullestOf(left);
      pools.push_back({fullest, std::min(missing, fullest.size())});
      missing -= pools.back().count;
      left = left - fullest;
    }
    return pools;
  }

  [[nodiscard]] GpuSet FullestOf(GpuSet gpus) const {
    GpuSet fullest;
    std::int64_t most = -1;
    for (const std::size_t position : gpus) {
      const std::int64_t sharing = problem_.objective.Sharing(GpuSet::Of(position));
      if (sharing > most) fullest = GpuSet();
      if (sharing >= most) fullest.Add(position);
      most = std::max(most, sharing);
    }
    return fullest;
  }

  void Keep(GpuSet set) {
    const std::int64_t rest_score = partition_.Best(RestOf(classes_.CountsOf(set)));
    const Key key = problem_.objective.KeyOf(set, problem_.unused - set, rest_score);
    if (!best_.set.empty() && key <= best_key_) return;
    best_key_ = key;
    best_ = Found{.set = set, .rest_score = rest_score};
  }

  const Problem& problem_;
  Budget& budget_;
  WiringClasses classes_;
  ClassPartition partition_;
  ClassLimits limits_;
  ClassCounts available_;
  ClassCounts unused_;
  Worth best_worth_{};
  std::vector<ClassCounts> ties_;
  Key best_key_;
  Found best_;
};

}  // namespace

std::optional<Found> SearchClasses(const Problem& problem, Budget budget) {
  const Found found = ClassSearch(problem, budget).Run();
  if (budget.is_spent()) return std::nullopt;
  return found;
}

}  // namespace gs::devices
