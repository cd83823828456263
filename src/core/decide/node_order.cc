#include "core/decide/node_order.h"

namespace gs::decide {

devices::Availability NodeOrder::GpuState::availability() const {
  return {
      .unused = devices::GpuSet(unused), .sharers = {}, .unhealthy = devices::GpuSet(unhealthy)};
}

void NodeOrder::Follow(const std::vector<NodeName>& changed, const cache::Cache& cache,
                       TopologyMemo& topologies) {
  for (const NodeName& name : changed) {
    const auto known = entries_.find(name);
    const cache::NodeView* view = cache.FindNode(name);
    if (view == nullptr) {
      if (known == entries_.end()) continue;
      Take(name, known->second);
      entries_.erase(known);
      continue;
    }
    Entry entry{.room = LeastCostOn(*view, Ask{}), .gpus = {.topology = topologies.Of(*view)}};
    if (entry.gpus.topology) {
      const auto availability = AvailabilityOf(*view, *entry.gpus.topology, PodUid());
      entry.gpus.unused = availability.unused.bits();
      entry.gpus.unhealthy = availability.unhealthy.bits();
    }
    if (known != entries_.end() && known->second == entry) continue;
    if (known != entries_.end()) Take(name, known->second);
    Put(name, entry);
    entries_.insert_or_assign(name, std::move(entry));
  }
}

void NodeOrder::Put(const NodeName& node, const Entry& entry) {
  by_room_.emplace(entry.room, node);
  if (entry.gpus.topology) by_gpus_[entry.gpus].insert(node);
}

void NodeOrder::Take(const NodeName& node, const Entry& entry) {
  by_room_.erase({entry.room, node});
  if (!entry.gpus.topology) return;
  const auto alike = by_gpus_.find(entry.gpus);
  alike->second.erase(node);
  if (alike->second.empty()) by_gpus_.erase(alike);
}

}  // namespace gs::decide
