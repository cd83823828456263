// NodeGpuState: the GPUs of one node as the chooser reads them: how they are wired, and who may be
// given what. Derived from a NodeView; the wiring is kept between decisions.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "core/cache/node_view.h"
#include "core/decide/devices/choice.h"
#include "core/decide/devices/topology.h"

namespace gs::decide {

// Topologies by node, made anew when the machine changes. Nodes that are wired alike share one.
class TopologyMemo {
 public:
  // Null where the node's GPUs cannot be used at all: none, or a report that makes no sense. Of
  // GPUs that are only counted, the first kMaxGpus.
  [[nodiscard]] std::shared_ptr<const devices::Topology> Of(const cache::NodeView& view);
  void Forget(const NodeName& node) { entries_.erase(node); }

 private:
  struct Entry {
    std::uint64_t machine_generation = 0;
    std::int64_t gpu_count = 0;  // used where there is no machine
    std::shared_ptr<const devices::Topology> topology;
  };
  struct ByShape {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return Shape(a) < Shape(b);
    }
    static const devices::Topology& Shape(const devices::Topology& topology) { return topology; }
    static const devices::Topology& Shape(const std::shared_ptr<const devices::Topology>& shared) {
      return *shared;
    }
  };

  // A machine and what was built of it.
  struct Built {
    model::Machine machine;
    std::shared_ptr<const devices::Topology> topology;
  };

  [[nodiscard]] std::shared_ptr<const devices::Topology> Shared(devices::Topology topology);
  [[nodiscard]] std::shared_ptr<const devices::Topology> Shared(const model::Machine& machine);
  [[nodiscard]] std::shared_ptr<const devices::Topology> Build(const cache::NodeView& view,
                                                               std::int64_t count);

  std::unordered_map<NodeName, Entry> entries_;
  std::vector<Built> built_;  // of machines that were met, each wired in another way
  std::set<std::shared_ptr<const devices::Topology>, ByShape> shapes_;
};

// What may be given to that pod on that node. What it holds itself does not stand in its way.
[[nodiscard]] devices::Availability AvailabilityOf(const cache::NodeView& view,
                                                   const devices::Topology& topology,
                                                   const PodUid& pod);

}  // namespace gs::decide
