#include "core/decide/devices/wiring_classes.h"

#include <algorithm>
#include <functional>

namespace gs::devices {
namespace {

// The groups that a set touches: how many, and all their GPUs together.
struct Touched {
  std::size_t groups = 0;
  GpuSet gpus;
};

Touched TouchedBy(const std::vector<GpuSet>& groups, GpuSet candidates, GpuSet set) {
  Touched touched;
  for (const GpuSet group : groups) {
    if ((group & set).empty()) continue;
    ++touched.groups;
    touched.gpus = touched.gpus | (group & candidates);
  }
  return touched;
}

// Whether swapping the two sets keeps all groups: they lie in the same one, or each fills its own,
// and as many.
bool SwapKeepsGroups(const Problem& problem, GpuSet a, GpuSet b) {
  const Topology& topology = problem.topology;
  const auto keeps = [&](const std::vector<GpuSet>& groups) {
    const Touched by_a = TouchedBy(groups, problem.candidates, a);
    const Touched by_b = TouchedBy(groups, problem.candidates, b);
    if (by_a.groups != by_b.groups) return false;
    if (by_a.groups == 1 && by_a.gpus == by_b.gpus) return true;
    return by_a.gpus == a && by_b.gpus == b;
  };
  return keeps(topology.islands()) && keeps(topology.numa_nodes()) && keeps(topology.switches());
}

// Whether the GPUs are alike in what is not wiring.
bool SameUse(const Problem& problem, std::size_t a, std::size_t b) {
  return problem.must.Has(a) == problem.must.Has(b) &&
         problem.objective.Sharing(GpuSet::Of(a)) == problem.objective.Sharing(GpuSet::Of(b));
}

bool SameWires(const Topology& topology, std::size_t a, std::size_t b, std::size_t other) {
  return topology.PairScore(a, other) == topology.PairScore(b, other) &&
         topology.PairBandwidth(a, other) == topology.PairBandwidth(b, other);
}

// Whether swapping two sets of GPUs, all alike inside each, changes nothing but ids.
bool AreReplicas(const Problem& problem, GpuSet a, GpuSet b) {
  const Topology& topology = problem.topology;
  if (a.size() != b.size() || !SameUse(problem, a.First(), b.First())) return false;
  if (!SwapKeepsGroups(problem, a, b)) return false;
  const bool same_inside =
      a.size() < 2 ||
      (topology.PairScore(a.First(), a.Last()) == topology.PairScore(b.First(), b.Last()) &&
       topology.PairBandwidth(a.First(), a.Last()) == topology.PairBandwidth(b.First(), b.Last()));
  const GpuSet others = problem.candidates - (a | b);
  return same_inside && std::all_of(others.begin(), others.end(), [&](std::size_t other) {
           return SameWires(topology, a.First(), b.First(), other);
         });
}

bool SameOutside(const WiringClasses& classes, std::size_t a, std::size_t b) {
  for (std::size_t other = 0; other < classes.size(); ++other) {
    if (other == a || other == b) continue;
    if (classes.PairScore(a, other) != classes.PairScore(b, other)) return false;
  }
  return true;
}

// Whether swapping the counts of two classes never changes a score.
bool AreFamily(const WiringClasses& classes, std::size_t a, std::size_t b) {
  return classes.PairScore(a, a) == classes.PairScore(b, b) && SameOutside(classes, a, b);
}

// For each class the first class it is alike to; `alike` is an equivalence.
template <class Alike>
std::vector<std::size_t> Grouped(std::size_t size, Alike alike) {
  std::vector<std::size_t> group;
  for (std::size_t cls = 0; cls < size; ++cls) {
    std::size_t first = 0;
    while (first < cls && !alike(first, cls)) ++first;
    group.push_back(first);
  }
  return group;
}

}  // namespace

WiringClasses::WiringClasses(const Problem& problem) {
  FindMembers(problem);
  FindPairs(problem);
  family_ = Grouped(size(), [&](std::size_t a, std::size_t b) { return AreFamily(*this, a, b); });
  replica_ = Grouped(size(), [&](std::size_t a, std::size_t b) {
    return AreReplicas(problem, members_[a], members_[b]);
  });
}

void WiringClasses::FindMembers(const Problem& problem) {
  for (const std::size_t position : problem.candidates) {
    const auto home = std::find_if(members_.begin(), members_.end(), [&](GpuSet members) {
      return AreReplicas(problem, GpuSet::Of(members.First()), GpuSet::Of(position));
    });
    if (home == members_.end()) {
      members_.push_back(GpuSet::Of(position));
    } else {
      home->Add(position);
    }
  }
}

void WiringClasses::FindPairs(const Problem& problem) {
  pair_score_.resize(size() * size());
  for (std::size_t a = 0; a < size(); ++a) {
    for (std::size_t b = 0; b < size(); ++b) {
      const std::size_t other = a == b ? members_[a].Last() : members_[b].First();
      if (members_[a].First() == other) continue;  // a single GPU has no pair
      pair_score_[a * size() + b] = problem.topology.PairScore(members_[a].First(), other);
    }
  }
  // The score inside a class of one is never used; take a sibling's, so that the two are family.
  for (std::size_t a = 0; a < size(); ++a) {
    for (std::size_t b = 0; b < size() && members_[a].size() == 1; ++b) {
      if (members_[b].size() == 1 || !SameOutside(*this, a, b)) continue;
      pair_score_[a * size() + a] = PairScore(b, b);
      break;
    }
  }
}

std::int64_t WiringClasses::ScoreOf(const ClassCounts& counts) const {
  std::int64_t score = 0;
  for (std::size_t a = 0; a < size(); ++a) {
    if (counts[a] == 0) continue;
    score += std::int64_t{counts[a]} * (counts[a] - 1) / 2 * PairScore(a, a);
    for (std::size_t b = a + 1; b < size(); ++b) {
      score += std::int64_t{counts[a]} * counts[b] * PairScore(a, b);
    }
  }
  return score;
}

ClassCounts WiringClasses::CountsOf(GpuSet set) const {
  ClassCounts counts(size());
  for (std::size_t cls = 0; cls < size(); ++cls) {
    counts[cls] = static_cast<std::uint8_t>((members_[cls] & set).size());
  }
  return counts;
}

ClassCounts WiringClasses::Canonical(ClassCounts counts) const {
  for (std::size_t family = 0; family < size(); ++family) {
    if (family_[family] != family) continue;
    ClassCounts values;
    for (std::size_t cls = family; cls < size(); ++cls) {
      if (family_[cls] == family) values.push_back(counts[cls]);
    }
    std::sort(values.begin(), values.end(), std::greater<>());
    auto next = values.begin();
    for (std::size_t cls = family; cls < size(); ++cls) {
      if (family_[cls] == family) counts[cls] = *next++;
    }
  }
  return counts;
}

}  // namespace gs::devices
