// A cache with one node, what can happen to it, and what is seen of it, for the tests of this
// folder.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/cache/cache.h"

namespace gs::cache {

inline const TimePoint kNow{std::chrono::hours(1)};
inline const NodeName kNode("n1");

inline model::Node Node(std::int64_t gpus = 4) {
  model::Node node;
  node.name = kNode;
  node.allocatable.cpu_milli = 8000;
  node.allocatable.gpus = gpus;
  node.allocatable_pods = 110;
  node.gpu_capacity = gpus;
  return node;
}

inline model::Pod Waiting(const std::string& name) {
  model::Pod pod;
  pod.ref = {Namespace("team"), PodName(name), PodUid("uid-" + name)};
  pod.scheduler = SchedulerName("gpu-scheduler");
  pod.requests.cpu_milli = 100;
  return pod;
}

inline model::Allocation Gpus(const model::Pod& pod, std::vector<GpuId> ids) {
  model::Allocation allocation;
  allocation.pod = pod.ref.uid;
  allocation.gpus = {kNode, std::move(ids)};
  return allocation;
}

inline model::Pod Bound(model::Pod pod, const model::Allocation& allocation) {
  pod.node = kNode;
  pod.phase = model::PodPhase::kRunning;
  pod.annotations = model::ResultAnnotations(allocation);
  return pod;
}

inline model::Machine Machine(std::vector<std::string> uuids) {
  model::Machine machine;
  for (std::size_t i = 0; i < uuids.size(); ++i) {
    model::GpuDevice device;
    device.id = GpuId(static_cast<std::int32_t>(i));
    device.uuid = GpuUuid(uuids[i]);
    machine.devices.push_back(device);
  }
  machine.links = model::LinkMatrix(machine.devices.size());
  return machine;
}

class CacheTest : public testing::Test {
 protected:
  CacheTest() : cache_({.scheduler = SchedulerName("gpu-scheduler")}) {
    (void)cache_.Apply(model::NodeSeen{Node()}, kNow);
  }
  std::vector<ChangeKind> See(const model::Event& event, TimePoint now = kNow) {
    last_ = cache_.Apply(event, now);
    std::vector<ChangeKind> kinds;
    for (const Change& change : last_) kinds.push_back(change.kind);
    return kinds;
  }
  std::vector<std::string> HoldersOf(int gpu) const {
    std::vector<std::string> names;
    for (const Holder& holder : cache_.FindNode(kNode)->holders.Of(GpuId(gpu))) {
      names.push_back(holder.pod.name.text());
    }
    return names;
  }
  const NodeView& node() const { return *cache_.FindNode(kNode); }

  Cache cache_;
  std::vector<Change> last_;
};

using Names = std::vector<std::string>;
using Kinds = std::vector<ChangeKind>;

}  // namespace gs::cache
