// PlaceableSets: how many sets of 1, 2, 4 and 8 GPUs could be given out now in the whole cluster,
// on any GPUs of one node and inside one island of it. As to GPUs alone: taints, CPU, memory and
// what is kept for others are not looked at; a cordoned node counts nothing.
//
// Kept from one update to the next: only nodes whose free GPUs are others than before are counted
// again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "base/ids.h"
#include "core/cache/cache.h"
#include "core/decide/devices/gpu_set.h"
#include "core/decide/devices/topology.h"
#include "core/decide/node_gpu_state.h"
#include "core/decide/score/placeable.h"

namespace gs::explain {

class PlaceableSets {
 public:
  // Of that moment. Requires: the same cache every time.
  const score::SetCounts& Update(const cache::Cache& cache);

  // How many nodes were counted since it was made, for tests.
  [[nodiscard]] std::int64_t counted() const { return counted_; }

 private:
  struct Part {
    std::shared_ptr<const devices::Topology> topology;
    devices::GpuSet free;
    std::int64_t foreign = 0;
    score::SetCounts sets;
  };

  void UpdateNode(const cache::Cache& cache, const cache::NodeView& view);
  void DropLost(const cache::Cache& cache);

  decide::TopologyMemo topologies_;
  std::map<NodeName, Part> parts_;
  score::SetCounts total_;
  std::int64_t counted_ = 0;
};

}  // namespace gs::explain
