#include "core/decide/devices/bounded_search.h"

#include <algorithm>
#include <tuple>

#include "core/decide/devices/largest_islands.h"

namespace gs::devices {
namespace {

constexpr int kMaxSwapRounds = 8;

// Repeatedly the lowest GPU left and its best company.
std::int64_t GreedyPartition(const Topology& topology, GpuSet rest, std::size_t size) {
  if (size == 1) return topology.ScoreOf(rest);
  std::int64_t total = 0;
  while (!rest.empty()) {
    GpuSet set = GpuSet::Of(rest.First());
    rest = rest - set;
    while (set.size() < size && !rest.empty()) {
      std::size_t best = rest.First();
      for (const std::size_t other : rest) {
        if (topology.ScoreBetween(other, set) > topology.ScoreBetween(best, set)) best = other;
      }
      total += topology.ScoreBetween(best, set);
      set.Add(best);
      rest.Remove(best);
    }
  }
  return total;
}

class BoundedSearch {
 public:
  explicit BoundedSearch(const Problem& problem) : problem_(problem) {}

  Found Run() {
    Try(GrowFrom(problem_.must, FewIslands()));
    for (const std::size_t anchor : problem_.candidates - problem_.must) {
      if (problem_.must.size() == problem_.count) break;
      Try(GrowFrom(problem_.must | GpuSet::Of(anchor), problem_.candidates));
    }
    for (int round = 0; round < kMaxSwapRounds && Swap(); ++round) {
    }
    best_.is_exact = problem_.count == 1;  // every single GPU was tried, and its rest is no guess
    return best_;
  }

 private:
  // Few islands, so that a set close together is among the first tried.
  [[nodiscard]] GpuSet FewIslands() const {
    GpuSet pool;
    for (const GpuSet island : LargestIslands(problem_)) pool = pool | island;
    return pool;
  }

  // Adds the GPU that helps most, inside the largest allowed set that has these; empty if that is
  // too small.
  [[nodiscard]] GpuSet GrowFrom(GpuSet set, GpuSet pool) const {
    const GpuSet allowed = problem_.restriction.Largest(pool | set, set);
    if (allowed.size() < problem_.count) return {};
    while (set.size() < problem_.count) {
      const GpuSet others = allowed - set;
      const std::size_t best = *std::max_element(
          others.begin(), others.end(),
          [&](std::size_t a, std::size_t b) { return HelpOf(a, set) < HelpOf(b, set); });
      set.Add(best);
    }
    return set;
  }

  [[nodiscard]] std::tuple<std::int64_t, std::int64_t, std::int64_t> HelpOf(std::size_t next,
                                                                            GpuSet set) const {
    const GpuSet grown = set | GpuSet::Of(next);
    return {problem_.objective.Sharing(grown), problem_.objective.First(grown),
            problem_.topology.ScoreBetween(next, set)};
  }

  bool Try(GpuSet set) {
    if (set.empty()) return false;
    const GpuSet rest = problem_.unused - set;
    const std::int64_t rest_score = GreedyPartition(problem_.topology, rest, problem_.count);
    const Key key = problem_.objective.KeyOf(set, rest, rest_score);
    if (!best_.set.empty() && key <= best_key_) return false;
    best_key_ = key;
    best_ = Found{.set = set, .rest_score = rest_score};
    return true;
  }

  // Tries every exchange of one GPU; true if one was better.
  bool Swap() {
    const GpuSet start = best_.set;
    bool is_better = false;
    for (const std::size_t out : start - problem_.must) {
      for (const std::size_t in : problem_.candidates - start) {
        const GpuSet swapped = (start - GpuSet::Of(out)) | GpuSet::Of(in);
        if (problem_.restriction.Allows(swapped)) is_better = Try(swapped) || is_better;
      }
    }
    return is_better;
  }

  const Problem& problem_;
  Key best_key_;
  Found best_;
};

}  // namespace

Found SearchBounded(const Problem& problem) { return BoundedSearch(problem).Run(); }

}  // namespace gs::devices
