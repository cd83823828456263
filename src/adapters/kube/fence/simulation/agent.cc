#include "adapters/kube/fence/simulation/agent.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace gs::kube::simulation {
namespace {

template <class Item>
void AddOnce(model::RareList<Item>& list, const Item& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

model::Machine EmptyMachine(int gpus) {
  model::Machine machine;
  for (int id = 0; id < gpus; ++id) machine.devices.push_back({.id = GpuId(id)});
  machine.links = model::LinkMatrix(machine.devices.size());
  return machine;
}

}  // namespace

Agent::Agent(NodeName node, int gpus)
    : node_(std::move(node)), gpus_(gpus), stream_(model::Kind::kPod, {}) {}

void Agent::Watch(const Server& server, int count) {
  for (int i = 0; i < count && !stream_.IsDone(server); ++i) {
    const model::Event event = stream_.Next(server);
    if (const auto* seen = std::get_if<model::PodSeen>(&event)) {
      const PodUid& uid = seen->pod.ref.uid;
      if (seen->pod.node != node_) continue;
      if (!seen->pod.is_terminal()) live_.insert_or_assign(uid, seen->pod);
      if (seen->pod.is_terminal()) Leave(uid);
    } else if (const auto* gone = std::get_if<model::PodGone>(&event)) {
      Leave(gone->pod.uid);
    }
  }
}

void Agent::Leave(const PodUid& pod) {
  const auto live = live_.find(pod);
  if (live == live_.end()) return;
  left_.insert(pod);
  owes_ = true;
  looked_.reset();
  live_.erase(live);
}

// Pods have what they were given. What runs belongs to a pod that lives, or is left of one that was
// here; of one that was never seen nothing is said, since it may be about to be seen.
model::Machine Agent::Use(const Server& server) const {
  model::Machine machine = EmptyMachine(gpus_);
  for (const auto& [uid, pod] : live_) {
    const auto held = HeldBy(pod);
    if (!held) continue;
    for (const GpuId gpu : held->gpus.ids) {
      AddOnce(machine.devices[static_cast<std::size_t>(gpu.number())].in_use_by, ToString(pod.ref));
    }
  }
  for (const auto& [uid, workload] : server.workloads()) {
    const bool is_left = workload.held.gpus.node == node_ && !workload.ended && left_.contains(uid);
    if (!is_left) continue;
    for (const GpuId gpu : workload.held.gpus.ids) {
      AddOnce(machine.devices[static_cast<std::size_t>(gpu.number())].residue, uid);
    }
  }
  return machine;
}

void Agent::Look(const Server& server) { looked_ = Use(server); }

void Agent::Write(Server& server) {
  if (!looked_) return;
  server.Report({.node = node_, .machine = *std::exchange(looked_, std::nullopt)});
  owes_ = false;
}

bool Agent::HasNews(const Server& server) const {
  const auto stored = server.reports().find(node_);
  return owes_ || stored == server.reports().end() || stored->second.machine != Use(server);
}

}  // namespace gs::kube::simulation
