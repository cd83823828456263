// Wiring classes: GPUs that are wired alike. Two GPUs are in one class if swapping them changes
// nothing the chooser can see; what a set is worth then depends only on how many GPUs of each class
// it has.
#pragma once

#include <cstdint>
#include <vector>

#include "core/decide/devices/problem.h"

namespace gs::devices {

// How many GPUs of each class.
using ClassCounts = std::vector<std::uint8_t>;

class WiringClasses {
 public:
  // Classes of the candidates; must-includes and GPUs with different numbers of sharers are told
  // apart.
  explicit WiringClasses(const Problem& problem);

  [[nodiscard]] std::size_t size() const { return members_.size(); }
  [[nodiscard]] GpuSet members(std::size_t cls) const { return members_[cls]; }
  // Pair score of two GPUs of these classes, equal ones included.
  [[nodiscard]] std::int64_t PairScore(std::size_t a, std::size_t b) const {
    return pair_score_[a * size() + b];
  }
  [[nodiscard]] std::int64_t ScoreOf(const ClassCounts& counts) const;
  [[nodiscard]] ClassCounts CountsOf(GpuSet set) const;

  // Classes with the same number here are wired alike, whatever their size: how well their GPUs can
  // be partitioned does not change when their counts are swapped.
  [[nodiscard]] std::size_t family(std::size_t cls) const { return family_[cls]; }
  // The same counts with those of each family in descending order.
  [[nodiscard]] ClassCounts Canonical(ClassCounts counts) const;

  // Classes with the same number here are alike in everything: swapping the two as a whole changes
  // nothing but ids.
  [[nodiscard]] std::size_t replica(std::size_t cls) const { return replica_[cls]; }

 private:
  void FindMembers(const Problem& problem);
  void FindPairs(const Problem& problem);

  std::vector<GpuSet> members_;
  std::vector<std::int64_t> pair_score_;
  std::vector<std::size_t> family_;
  std::vector<std::size_t> replica_;
};

}  // namespace gs::devices
