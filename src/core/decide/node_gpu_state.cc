#include "core/decide/node_gpu_state.h"

#include <algorithm>
#include <utility>

namespace gs::decide {
namespace {

std::shared_ptr<const devices::Topology> Build(const cache::NodeView& view, std::int64_t count) {
  if (view.node.machine) {
    auto topology = devices::Topology::Of(*view.node.machine);
    if (!topology || topology->size() == 0) return nullptr;
    return std::make_shared<const devices::Topology>(*std::move(topology));
  }
  if (count <= 0 || count > static_cast<std::int64_t>(devices::kMaxGpus)) return nullptr;
  return std::make_shared<const devices::Topology>(
      devices::Topology::Counted(static_cast<std::size_t>(count)));
}

}  // namespace

std::shared_ptr<const devices::Topology> TopologyMemo::Of(const cache::NodeView& view) {
  const std::int64_t count =
      view.node.machine ? 0 : std::min(view.node.gpu_capacity, view.node.allocatable.gpus);
  const auto [known, is_new] = entries_.try_emplace(view.node.name);
  Entry& entry = known->second;
  if (is_new || entry.machine_generation != view.machine_generation || entry.gpu_count != count) {
    entry = {view.machine_generation, count, Build(view, count)};
  }
  return entry.topology;
}

devices::Availability AvailabilityOf(const cache::NodeView& view, const devices::Topology& topology,
                                     const PodUid& pod) {
  devices::Availability availability;
  for (std::size_t i = 0; i < topology.size(); ++i) {
    std::int32_t others = 0;
    bool is_shared = true;
    for (const cache::Holder& holder : view.holders.Of(topology.id(i))) {
      if (holder.pod.uid == pod) continue;
      ++others;
      is_shared = is_shared && holder.mode == model::AllocationMode::kShared;
    }
    if (others == 0) {
      availability.unused.Add(i);
    } else if (is_shared) {
      availability.sharers[i] = others;
    }
    if (!view.is_healthy(topology.id(i))) availability.unhealthy.Add(i);
  }
  return availability;
}

}  // namespace gs::decide
