// Place: one pod on one node: whether it fits, and with which GPUs.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/cache/node_view.h"
#include "core/cache/storage.h"
#include "core/decide/ask.h"
#include "core/decide/choice_memo.h"
#include "core/decide/devices/table.h"
#include "core/decide/devices/table_wishes.h"
#include "core/decide/filter/pod_affinity.h"
#include "core/decide/filter/topology_spread.h"
#include "core/decide/free_gpus.h"
#include "core/decide/gpu_price.h"
#include "core/decide/keep.h"
#include "core/decide/node_gpu_state.h"
#include "core/decide/rejections.h"
#include "core/decide/score/placeable.h"
#include "core/model/allocation.h"
#include "core/model/pod.h"
#include "core/model/reason.h"

namespace gs::decide {

// What is better about one place than about another: the smaller one wins, field by field.
//
// Wishes about nodes come after what the choice takes away from others, because GPUs that are left
// in useless pieces cost everybody; a pod without GPUs takes none away, so of its nodes without
// GPUs wishes decide first. What a node's owner would rather not have counts before what the pod
// would.
struct Cost {
  std::int32_t takes_spared = 0;       // 1: a GPU that a map pod waits for
  std::int32_t has_gpus_unasked = 0;   // 1: GPUs lie idle under a pod that needs none
  std::int32_t misses_preference = 0;  // 1: not in one island, or too slow, though that was asked
  std::int64_t placeable_loss = 0;     // sets that others can no longer have
  std::int64_t unwelcome_taints = 0;   // PreferNoSchedule, not tolerated
  std::int64_t unmet_wishes = 0;       // weights of preferred node affinity
  std::int64_t free_gpus_left = 0;
  std::int64_t cpu_in_use = 0;  // in thousandths of the node's; for pods without GPUs

  friend auto operator<=>(const Cost&, const Cost&) = default;
};

// How the pod would be on a node.
struct Fit {
  Cost cost{};
  // Of the ask, or of a choice, which stays until the next is made; null: no GPUs.
  const std::vector<GpuId>* ids = nullptr;
  cache::VolumeChoice volumes{};
};

struct Place {
  std::optional<model::Allocation> allocation;  // absent: no GPUs
  Cost cost;
  cache::VolumeChoice volumes{};
};

struct PlaceContext {
  TopologyMemo& topologies;
  ChoiceMemo& choices;
  const devices::TableCache& tables;
  devices::TableWishes& wishes;
  const score::SizeWeights& weights;
  const Rejections& rejections;
  const Keep& keep;
  const cache::Storage& storage;
};

// What other pods have to say about where a pod may go, worked out once for all nodes.
struct Company {
  Company(const model::Pod& pod, const cache::Cache& cache)
      : affinity(pod, cache), spread(pod, cache) {}

  filter::PodAffinity affinity;
  filter::TopologySpread spread;
};

// With named GPUs the node must be the one that is named: see named_node.h.
[[nodiscard]] std::variant<Place, model::Reason> PlaceOn(const cache::NodeView& view,
                                                         const model::Pod& pod, const Ask& ask,
                                                         const Company& company,
                                                         const PlaceContext& context);
// The same in two steps: the second is for the node that is taken in the end.
[[nodiscard]] std::variant<Fit, model::Reason> FitOn(const cache::NodeView& view,
                                                     const model::Pod& pod, const Ask& ask,
                                                     const Company& company,
                                                     const PlaceContext& context);
[[nodiscard]] Place PlaceFor(const cache::NodeView& view, const model::Pod& pod, const Ask& ask,
                             Fit fit);

// The pod costs no less on that node, if it fits there. Quickly told.
[[nodiscard]] Cost LeastCostOn(const cache::NodeView& view, const Ask& ask);
// The same on any node where the GPUs have that price, if none of them is kept for others.
[[nodiscard]] Cost LeastCostAt(const GpuPrice& price, const score::SizeWeights& weights);
// The price of whole GPUs on any node whose GPUs stand so; nothing: there is no set for the pod.
[[nodiscard]] std::optional<GpuPrice> PriceAmong(const FreeGpus& gpus, const CountedGpus& asked,
                                                 const PlaceContext& context);

}  // namespace gs::decide
