// Which node is reserved for a pod that has waited too long.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "core/cache/cache.h"
#include "core/decide/ask.h"
#include "core/decide/keep.h"
#include "core/decide/place.h"
#include "core/model/pod.h"

namespace gs::decide {

// The node where the pod would fit once those who hold GPUs there have ended, and where the fewest
// GPUs have to be freed for that; then the one whose first holder has run longest, then by name. A
// map pod has only its own node. `staying` are not expected to end. Nothing where no node will do.
// Linear in the nodes.
[[nodiscard]] std::optional<Reservation> FindReservation(const model::Pod& pod, const Ask& ask,
                                                         const cache::Cache& cache,
                                                         const PlaceContext& context,
                                                         const std::set<PodUid>& staying = {});

// How many GPUs are missing on that node, by number alone.
[[nodiscard]] std::int64_t GpusShort(const cache::NodeView& view, const model::Pod& pod,
                                     const Ask& ask, const PlaceContext& context);

// Whether the pod would fit on that node if nobody held GPUs there, except those who stay.
[[nodiscard]] bool FitsOnceFreed(const cache::NodeView& view, const model::Pod& pod, const Ask& ask,
                                 const cache::Cache& cache, const PlaceContext& context,
                                 const std::set<PodUid>& staying = {});

}  // namespace gs::decide
