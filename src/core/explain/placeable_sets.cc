#include "core/explain/placeable_sets.h"

#include "core/explain/gpu_report.h"

namespace gs::explain {
namespace {

void Exchange(score::SetCounts& total, const score::SetCounts& old, const score::SetCounts& now) {
  for (std::size_t i = 0; i < score::kSetSizes.size(); ++i) {
    total.anywhere[i] += now.anywhere[i] - old.anywhere[i];
    total.in_islands[i] += now.in_islands[i] - old.in_islands[i];
  }
}

devices::GpuSet FreeOn(const cache::NodeView& view, const devices::Topology& topology) {
  if (!view.is_known || view.node.is_unschedulable) return {};
  const auto availability = decide::AvailabilityOf(view, topology, PodUid());
  return availability.unused - availability.unhealthy;
}

}  // namespace

const score::SetCounts& PlaceableSets::Update(const cache::Cache& cache) {
  DropLost(cache);
  for (const auto& [name, view] : cache.nodes()) UpdateNode(cache, view);
  return total_;
}

void PlaceableSets::UpdateNode(const cache::Cache& cache, const cache::NodeView& view) {
  const auto topology = topologies_.Of(view);
  Part& part = parts_[view.node.name];
  const devices::GpuSet free = topology ? FreeOn(view, *topology) : devices::GpuSet();
  const std::int64_t foreign = topology ? ForeignGpus(cache, view) : 0;
  if (part.topology == topology && part.free == free && part.foreign == foreign) return;
  const score::SetCounts sets =
      topology ? score::CountSets(*topology, free, foreign) : score::SetCounts();
  Exchange(total_, part.sets, sets);
  part = {topology, free, foreign, sets};
  ++counted_;
}

void PlaceableSets::DropLost(const cache::Cache& cache) {
  for (auto part = parts_.begin(); part != parts_.end();) {
    if (cache.FindNode(part->first) != nullptr) {
      ++part;
      continue;
    }
    Exchange(total_, part->second.sets, {});
    topologies_.Forget(part->first);
    part = parts_.erase(part);
  }
}

}  // namespace gs::explain
