// RunNotes: what one run of the cycle has found out, for logs and metrics. Nothing depends on them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/time.h"
#include "core/commit/report.h"
#include "core/decide/decide.h"
#include "core/model/pod.h"
#include "core/pending/pending.h"

namespace gs::cycle {

// A pod on its way to its place.
struct Launched {
  decide::Placement placement;
  TimePoint created;   // the pod
  pending::Wait wait;  // until it was launched
  TimePoint at;
};

// An attempt to commit a pod is over.
struct Ended {
  model::PodRef pod;
  Launched launched;
  std::optional<commit::NotBound> not_bound;  // empty: bound as planned
};

struct RunNotes {
  std::size_t placed = 0;         // pods that were given a place and launched
  std::size_t without_place = 0;  // tries that found none; pods that ask for the same are one try
  std::vector<Ended> ended;
};

}  // namespace gs::cycle
