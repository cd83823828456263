#include "core/decide/node_gpu_state.h"

#include <algorithm>
#include <utility>

#include "core/model/gpu_resource.h"

namespace gs::decide {
namespace {

// Clusters have fewer kinds of machines; where they do not, looking for one would take longer.
constexpr std::size_t kMostBuilt = 32;

}  // namespace

std::shared_ptr<const devices::Topology> TopologyMemo::Shared(devices::Topology topology) {
  const auto known = shapes_.find(topology);
  if (known != shapes_.end()) return *known;
  // Shapes that no node has any more are let go now and then.
  if (shapes_.size() > 2 * entries_.size()) {
    std::erase_if(shapes_, [](const auto& shape) { return shape.use_count() == 1; });
  }
  return *shapes_.insert(std::make_shared<const devices::Topology>(std::move(topology))).first;
}

// To build a topology takes a hundred times as long as to see that a machine is wired as another.
std::shared_ptr<const devices::Topology> TopologyMemo::Shared(const model::Machine& machine) {
  const auto known = std::find_if(built_.begin(), built_.end(), [&](const Built& each) {
    return devices::Topology::IsSameOf(each.machine, machine);
  });
  if (known != built_.end()) return known->topology;
  auto topology = devices::Topology::Of(machine);
  Built built{.machine = machine, .topology = nullptr};
  if (topology && topology->size() > 0) built.topology = Shared(*std::move(topology));
  if (built_.size() >= kMostBuilt) built_.clear();
  built_.push_back(std::move(built));
  return built_.back().topology;
}

std::shared_ptr<const devices::Topology> TopologyMemo::Build(const cache::NodeView& view,
                                                             std::int64_t count) {
  if (view.node.machine) return Shared(*view.node.machine);
  if (count <= 0) return nullptr;
  const auto most = static_cast<std::int64_t>(devices::kMaxGpus);
  return Shared(devices::Topology::Counted(static_cast<std::size_t>(std::min(count, most))));
}

std::shared_ptr<const devices::Topology> TopologyMemo::Of(const cache::NodeView& view) {
  const std::int64_t count =
      view.node.machine ? 0
                        : std::min(view.node.gpu_capacity, model::WholeGpus(view.node.allocatable));
  const auto [known, is_new] = entries_.try_emplace(view.node.name);
  Entry& entry = known->second;
  if (is_new || entry.machine_generation != view.machine_generation || entry.gpu_count != count) {
    entry = {view.machine_generation, count, Build(view, count)};
  }
  return entry.topology;
}

namespace {

// Who has a GPU besides that pod.
struct Others {
  std::int32_t pods = 0;
  bool share = true;
};

Others OthersOf(const std::vector<cache::Holder>& holders, const PodUid& pod) {
  Others others;
  for (const cache::Holder& holder : holders) {
    if (holder.pod.uid == pod) continue;
    ++others.pods;
    others.share = others.share && holder.mode == model::AllocationMode::kShared;
  }
  return others;
}

}  // namespace

devices::Availability AvailabilityOf(const cache::NodeView& view, const devices::Topology& topology,
                                     const PodUid& pod) {
  devices::Availability availability{.unused = topology.all(), .sharers = {}, .unhealthy = {}};
  std::size_t at = 0;  // holders and positions are both in the order of ids
  for (const auto& [gpu, holders] : view.holders.all()) {
    while (at < topology.size() && topology.id(at) < gpu) ++at;
    if (at == topology.size()) break;
    if (topology.id(at) != gpu) continue;
    const Others others = OthersOf(holders, pod);
    if (others.pods == 0) continue;
    availability.unused.Remove(at);
    if (others.share) availability.sharers[at] = others.pods;
  }
  for (std::size_t i = 0; i < topology.size(); ++i) {
    if (!view.is_healthy(topology.id(i))) availability.unhealthy.Add(i);
  }
  return availability;
}

}  // namespace gs::decide
