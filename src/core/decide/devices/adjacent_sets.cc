#include "core/decide/devices/adjacent_sets.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace gs::devices {
namespace {

// Runs and highest id in one number, runs first. The highest id is added once, with the last GPU
// taken.
constexpr std::int64_t kRun = std::int64_t{1} << 20;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::size_t kTooManyStates = std::size_t{1}
                                       << 40;  // far past any budget, and no overflow

class AdjacentSearch {
 public:
  AdjacentSearch(const Topology& topology, const std::vector<Pool>& pools) : topology_(topology) {
    std::size_t states = 1;
    for (const Pool& pool : pools) {
      if (pool.count == pool.gpus.size()) {
        forced_ = forced_ | pool.gpus;
        continue;
      }
      pools_.push_back(pool);
      stride_.push_back(states);
      states = std::min(states * (pool.count + 1), kTooManyStates);
    }
    full_ = states - 1;
  }

  [[nodiscard]] std::size_t cells() const { return (topology_.size() + 1) * (full_ + 1) * 2; }

  std::vector<GpuSet> Run(std::size_t limit) {
    Fill();
    std::int64_t best = kNever;
    for (std::size_t start = 0; start < topology_.size(); ++start) {
      best = std::min(best, FromStart(start));
    }
    for (std::size_t start = 0; start < topology_.size() && best < kNever; ++start) {
      if (FromStart(start) == best) {
        Collect(start + 1, *After(start, full_), true, GpuSet::Of(start), limit);
      }
    }
    return found_;
  }

 private:
  // What is missing, besides forced GPUs, once the GPU at `position` is taken; nothing if it may
  // not be taken.
  [[nodiscard]] std::optional<std::size_t> After(std::size_t position, std::size_t missing) const {
    if (forced_.Has(position)) return missing;
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      if (!pools_[i].gpus.Has(position)) continue;
      const std::size_t of_pool = missing / stride_[i] % (pools_[i].count + 1);
      return of_pool == 0 ? std::nullopt : std::optional(missing - stride_[i]);
    }
    return std::nullopt;
  }

  std::int64_t& Cost(std::size_t position, std::size_t missing, bool after_taken) {
    return cost_[(position * (full_ + 1) + missing) * 2 + (after_taken ? 1 : 0)];
  }

  // Whether nothing is to be taken at or above the position any more.
  [[nodiscard]] bool IsDone(std::size_t position, std::size_t missing) const {
    return missing == 0 && (forced_ - GpuSet::FirstN(position)).empty();
  }

  [[nodiscard]] bool StartsRun(std::size_t position, bool after_taken) const {
    return !after_taken || position == 0 ||
           topology_.id(position).number() != topology_.id(position - 1).number() + 1;
  }

  std::int64_t CostOfTaking(std::size_t position, std::size_t missing, bool after_taken) {
    const auto left = After(position, missing);
    if (!left) return kNever;
    const std::int64_t run = StartsRun(position, after_taken) ? kRun : 0;
    const std::int64_t last = IsDone(position + 1, *left) ? topology_.id(position).number() : 0;
    return std::min(kNever, run + last + Cost(position + 1, *left, true));
  }

  std::int64_t CostOfLeaving(std::size_t position, std::size_t missing) {
    return forced_.Has(position) ? kNever : Cost(position + 1, missing, false);
  }

  void Fill() {
    cost_.assign(cells(), kNever);
    for (const bool after_taken : {false, true}) Cost(topology_.size(), 0, after_taken) = 0;
    for (std::size_t position = topology_.size(); position-- > 0;) {
      for (std::size_t missing = 0; missing <= full_; ++missing) {
        for (const bool after_taken : {false, true}) {
          Cost(position, missing, after_taken) = std::min(
              CostOfTaking(position, missing, after_taken), CostOfLeaving(position, missing));
        }
      }
    }
  }

  std::int64_t FromStart(std::size_t start) {
    if (!(forced_ & GpuSet::FirstN(start)).empty()) return kNever;
    const std::int64_t cost = CostOfTaking(start, full_, false);
    return cost >= kNever ? kNever : cost - topology_.id(start).number();
  }

  // Follows every choice that keeps the cost, taking before leaving, so that lower ids come first.
  void Collect(std::size_t position, std::size_t missing, bool after_taken, GpuSet set,
               std::size_t limit) {
    if (found_.size() >= limit) return;
    if (IsDone(position, missing)) {
      found_.push_back(set);
      return;
    }
    const std::int64_t cost = Cost(position, missing, after_taken);
    if (CostOfTaking(position, missing, after_taken) == cost) {
      Collect(position + 1, *After(position, missing), true, set | GpuSet::Of(position), limit);
    }
    if (CostOfLeaving(position, missing) == cost) {
      Collect(position + 1, missing, false, set, limit);
    }
  }

  const Topology& topology_;
  GpuSet forced_;            // whole pools
  std::vector<Pool> pools_;  // the others
  std::vector<std::size_t> stride_;
  std::size_t full_ = 0;
  std::vector<std::int64_t> cost_;
  std::vector<GpuSet> found_;
};

}  // namespace

std::vector<GpuSet> MostAdjacentSets(const Topology& topology, const std::vector<Pool>& pools,
                                     std::size_t limit, Budget& budget) {
  AdjacentSearch search(topology, pools);
  if (!budget.Spend(static_cast<std::int64_t>(search.cells()))) return {};
  return search.Run(limit);
}

}  // namespace gs::devices
