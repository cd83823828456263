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

bool IsShared(const cache::Holder& holder) { return holder.mode == model::AllocationMode::kShared; }

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

devices::Availability AvailabilityOf(const cache::NodeView& view,
                                     const devices::Topology& topology) {
  devices::Availability availability;
  for (std::size_t i = 0; i < topology.size(); ++i) {
    const auto holders = view.holders.Of(topology.id(i));
    if (holders.empty()) {
      availability.unused.Add(i);
    } else if (std::all_of(holders.begin(), holders.end(), IsShared)) {
      availability.sharers[i] = static_cast<std::int32_t>(holders.size());
    }
    if (!view.is_healthy(topology.id(i))) availability.unhealthy.Add(i);
  }
  return availability;
}

}  // namespace gs::decide
