// What the best set reaches at least, known before any search: a partial set that has passed it
// need not be completed.
#pragma once

#include <cstdint>

#include "core/decide/devices/problem.h"

namespace gs::devices {

class ClassLimits {
 public:
  // Keeps a reference to the problem.
  explicit ClassLimits(const Problem& problem);

  // False if no best set contains this one.
  [[nodiscard]] bool Allow(GpuSet partial) const;

 private:
  [[nodiscard]] std::int64_t FewestPairs() const;

  const Problem& problem_;
  std::int64_t most_islands_;
  std::int64_t most_pairs_;  // in one island
};

}  // namespace gs::devices
