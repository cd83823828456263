// Neighbour: another release of the scheduler, played by the rules of the fence: it sees everything
// at once, decides with the first GPUs that are free, and may fall asleep at any point. What it has
// sent may arrive at any time later.
#pragma once

#include <cstddef>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/fence.h"
#include "core/model/pod.h"
#include "tests/scenarios/cluster/api_server.h"
#include "tests/scenarios/cluster/kubelets.h"

namespace gs::scenarios {

class Neighbour {
 public:
  Neighbour(ApiServer& api, const Kubelets& kubelets, SchedulerName name)
      : api_(api), kubelets_(kubelets), name_(std::move(name)) {}

  [[nodiscard]] const SchedulerName& name() const { return name_; }

  // Lists one of its pods that wait, if there are GPUs for it on that node. Its requests say
  // whether a device plugin counts them; else it takes one.
  void List(std::size_t pod, const NodeName& node);
  // A Binding that it sent some time arrives.
  void Bind(std::size_t plan, TimePoint now);
  // Takes off what it lists and has not bound, after a touch.
  void Resolve(TimePoint now);

 private:
  [[nodiscard]] std::vector<const model::Pod*> Waiting() const;
  [[nodiscard]] std::vector<GpuId> FreeOn(const model::Node& node) const;
  [[nodiscard]] bool IsHeld(const NodeName& node, GpuId gpu) const;
  [[nodiscard]] bool MayCountOn(const model::Node& node, std::int64_t gpus) const;

  ApiServer& api_;
  const Kubelets& kubelets_;
  const SchedulerName name_;
  std::vector<model::InFlightPod> plans_;  // ever listed
  int touches_ = 0;
};

}  // namespace gs::scenarios
