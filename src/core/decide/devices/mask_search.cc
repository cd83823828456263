#include "core/decide/devices/mask_search.h"

#include <tuple>

namespace gs::devices {
namespace {

class MaskSearch {
 public:
  MaskSearch(const Problem& problem, const MaskPartition& partition)
      : problem_(problem), partition_(partition), unused_(partition.MaskOf(problem.unused)) {}

  std::optional<Found> Run() {
    if (problem_.restriction.Allows(problem_.must)) {
      GpuSet pool = problem_.candidates - problem_.must;
      for (const std::size_t position : problem_.must) {
        pool = pool & problem_.restriction.PartnersOf(position);
      }
      Grow(problem_.must, pool);
    }
    return best_;
  }

 private:
  // `pool`: what may still join, all above the last one taken and allowed with everything in `set`.
  void Grow(GpuSet set, GpuSet pool) {
    if (set.size() == problem_.count) return Consider(set);
    while (set.size() + pool.size() >= problem_.count) {
      const std::size_t next = pool.First();
      pool.Remove(next);
      Grow(set | GpuSet::Of(next), pool & problem_.restriction.PartnersOf(next));
    }
  }

  // Compares the cheap leading parts first: most sets lose there.
  void Consider(GpuSet set) {
    const Mask mask = partition_.MaskOf(set);
    const Mask rest = unused_ & ~mask;
    const std::int64_t rest_score = partition_.Best(rest);
    const Objective& objective = problem_.objective;
    Key key{.sharing = objective.Sharing(set), .first = objective.First(set)};
    key.partition = objective.PartitionOfSet(partition_.Score(mask)) +
                    objective.PartitionOfRest(problem_.unused - set, rest_score);
    if (best_ && std::tie(key.sharing, key.first, key.partition) <
                     std::tie(best_key_.sharing, best_key_.first, best_key_.partition)) {
      return;
    }
    key.last = objective.Last(set);
    key.lowest_ids = Objective::LowestIds(set);
    if (best_ && key <= best_key_) return;
    best_key_ = key;
    best_ = Found{.set = set, .rest_score = rest_score};
  }

  const Problem& problem_;
  const MaskPartition& partition_;
  const Mask unused_;
  Key best_key_;
  std::optional<Found> best_;
};

}  // namespace

std::optional<Found> SearchMasks(const Problem& problem, const MaskPartition& partition) {
  return MaskSearch(problem, partition).Run();
}

}  // namespace gs::devices
