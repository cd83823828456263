#include "core/decide/devices/restriction.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace gs::devices {
namespace {

using Partners = std::array<GpuSet, kMaxGpus>;

// Largest clique by branch and bound: GPUs are coloured so that no two allowed partners share a
// colour; a clique has at most one GPU per colour, so a branch with too few colours cannot win.
class CliqueSearch {
 public:
  CliqueSearch(const Partners& partners, GpuSet start) : partners_(partners), best_(start) {}

  GpuSet Run(GpuSet start, GpuSet pool) {
    Grow(start, pool);
    return best_;
  }

 private:
  struct Coloured {
    std::size_t position;
    std::size_t colour;  // from 1
  };

  void Grow(GpuSet clique, GpuSet pool) {
    if (clique.size() > best_.size()) best_ = clique;
    std::vector<Coloured> order = Colour(pool);
    for (auto branch = order.rbegin(); branch != order.rend(); ++branch) {
      if (clique.size() + branch->colour <= best_.size()) return;
      Grow(clique | GpuSet::Of(branch->position), pool & partners_[branch->position]);
      pool.Remove(branch->position);
    }
  }

  [[nodiscard]] std::vector<Coloured> Colour(GpuSet pool) const {
    std::vector<Coloured> order;
    order.reserve(pool.size());
    for (std::size_t colour = 1; !pool.empty(); ++colour) {
      GpuSet open = pool;
      while (!open.empty()) {
        const std::size_t next = open.First();
        order.push_back({next, colour});
        pool.Remove(next);
        open = (open - partners_[next]) - GpuSet::Of(next);
      }
    }
    return order;
  }

  const Partners& partners_;
  GpuSet best_;
};

}  // namespace

Restriction Restriction::None(const Topology& topology) {
  Restriction restriction;
  for (const std::size_t position : topology.all()) {
    restriction.partners_[position] = topology.all() - GpuSet::Of(position);
  }
  return restriction;
}

Restriction Restriction::OneIsland(const Topology& topology, std::int32_t min_bandwidth_gbps) {
  Restriction restriction;
  for (const std::size_t position : topology.all()) {
    restriction.partners_[position] =
        topology.IslandOf(position) & topology.ReachableAt(position, min_bandwidth_gbps);
  }
  return restriction;
}

Restriction Restriction::Of(const Topology& topology, const Request& request) {
  return request.mode == model::TopologyMode::kRequired
             ? OneIsland(topology, request.min_bandwidth_gbps)
             : None(topology);
}

bool Restriction::Allows(GpuSet set) const {
  return std::all_of(set.begin(), set.end(), [&](std::size_t position) {
    return (partners_[position] | GpuSet::Of(position)).Contains(set);
  });
}

GpuSet Restriction::Largest(GpuSet candidates, GpuSet must) const {
  if (!candidates.Contains(must) || !Allows(must)) return {};
  GpuSet pool = candidates - must;
  for (const std::size_t position : must) pool = pool & partners_[position];
  return CliqueSearch(partners_, must).Run(must, pool);
}

std::int32_t BestBandwidth(const Topology& topology, GpuSet candidates, GpuSet must,
                           std::size_t count) {
  std::set<std::int32_t, std::greater<>> steps;
  for (const std::size_t a : candidates) {
    for (const std::size_t b : candidates) {
      if (a < b) steps.insert(topology.PairBandwidth(a, b));
    }
  }
  for (const std::int32_t bandwidth : steps) {
    const auto fit = Restriction::OneIsland(topology, bandwidth).Largest(candidates, must);
    if (fit.size() >= count) return bandwidth;
  }
  return 0;
}

}  // namespace gs::devices
