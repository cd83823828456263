// Ranking: every node that a pod fits on, best first, with what each would cost.
#pragma once

#include <vector>

#include "base/ids.h"
#include "core/cache/cache.h"
#include "core/decide/ask.h"
#include "core/decide/place.h"
#include "core/model/pod.h"

namespace gs::decide {

struct RankedPlace {
  NodeName node;
  Place place;
};

// The first is what Decide decides; none where the pod fits nowhere. Linear in the nodes.
[[nodiscard]] std::vector<RankedPlace> RankPlaces(const model::Pod& pod, const Ask& ask,
                                                  const cache::Cache& cache,
                                                  const PlaceContext& context);

}  // namespace gs::decide
