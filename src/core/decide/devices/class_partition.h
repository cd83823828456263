// Best partitions by counts per wiring class: the same answer as MaskPartition, for machines of up
// to 64 GPUs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/decide/devices/wiring_classes.h"

namespace gs::devices {

// What a search may still spend. Counted in steps, not in time, so that the same question has the
// same answer.
class Budget {
 public:
  explicit Budget(std::int64_t steps) : left_(steps) {}
  // False from the moment it is used up.
  bool Spend(std::int64_t steps = 1) { return (left_ -= steps) >= 0; }
  void SpendAll() { left_ = -1; }
  [[nodiscard]] bool is_spent() const { return left_ < 0; }

 private:
  std::int64_t left_;
};

class ClassPartition {
 public:
  // Keeps references to both.
  ClassPartition(const WiringClasses& classes, std::size_t size, Budget& budget);

  // The best partition of that many GPUs of each class into sets of the size. A result up to
  // `floor` only says that the best is no higher than that result: who needs more than `floor` is
  // told sooner. Meaningless once the budget is spent.
  [[nodiscard]] std::int64_t Best(const ClassCounts& counts, std::int64_t floor = -1);
  // Never below Best, and cheap.
  [[nodiscard]] std::int64_t UpperBound(const ClassCounts& counts) const;

 private:
  // Pairs of at least some score connect GPUs into clusters; every such pair adds `step` to the
  // level below.
  struct Level {
    std::int64_t step = 0;
    std::vector<std::vector<std::size_t>> clusters;  // of classes
  };
  // One enumeration of the sets that hold a GPU of the anchor, the largest class.
  struct Walk {
    const ClassCounts& counts;
    std::size_t anchor;
    std::int64_t bound;
    std::int64_t best;
    ClassCounts set;
  };
  struct Known {
    std::int64_t score;
    bool is_exact;  // else the best is no higher
  };
  void FindLevels();
  [[nodiscard]] Level LevelAt(std::int64_t score, std::int64_t step) const;
  [[nodiscard]] bool IsUniform() const;
  [[nodiscard]] std::int64_t PairsIn(std::size_t gpus) const;
  [[nodiscard]] std::int64_t TakeFullSets(ClassCounts& counts) const;
  [[nodiscard]] std::size_t LeastOfAnchor(const Walk& walk) const;
  [[nodiscard]] std::int64_t Search(const ClassCounts& counts, std::int64_t floor);
  void SearchSets(Walk& walk, std::size_t set_size);
  void Extend(Walk& walk, std::size_t cls, std::size_t missing);
  void Consider(Walk& walk);
  [[nodiscard]] std::size_t LargestShare(const Walk& walk, std::size_t cls,
                                         std::size_t missing) const;

  const WiringClasses& classes_;
  std::size_t size_;
  Budget& budget_;
  std::vector<Level> levels_;
  bool is_uniform_ = false;
  std::vector<std::optional<std::size_t>> elder_;  // per class: the class before it in its family
  std::map<ClassCounts, Known> known_;
};

}  // namespace gs::devices
