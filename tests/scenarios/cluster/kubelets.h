// Kubelets: what becomes of pods on the nodes of a simulated cluster, and what the agents there
// report. Where an agent tells the scheduler, processes may outlive their pod, and be reported as
// left behind until they end.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/allocation.h"
#include "core/model/device.h"
#include "core/model/pod.h"
#include "tests/scenarios/cluster/cluster.h"

namespace gs::scenarios {

// It is on a node, and has not ended.
[[nodiscard]] bool IsLive(const model::Pod& pod);
// What a live pod says that it was given; nothing: no GPUs.
[[nodiscard]] std::optional<model::Allocation> GpusOf(const model::Pod& pod);

// Processes that have outlived their pod, or that somebody has declared it ended over.
struct Left {
  model::Allocation had;
  bool is_counted = false;
  TimePoint since;
};
using LeftBehind = std::map<PodUid, Left>;

class Kubelets {
 public:
  explicit Kubelets(Cluster& cluster) : cluster_(cluster) {}

  // A container of it runs. Nothing where it is not live; the same with what follows.
  void Start(model::Pod pod);
  // Its containers have ended, one way or the other.
  void End(model::Pod pod, model::PodPhase phase);
  // It is asked to go; asked again, or where it has no containers, it is gone.
  void Delete(model::Pod pod);
  // It is gone without having ended, as after a deletion by force.
  void Vanish(const model::Pod& pod);
  // Somebody else than its kubelet says so.
  void DeclareFailed(model::Pod pod);

  [[nodiscard]] const LeftBehind& left() const { return left_; }
  // Of those who have left processes behind, the one of that number ends at last.
  void EndProcesses(std::size_t number);
  // Before anybody gives up waiting for them.
  void EndOldProcesses();

  // The agent looks again: at the machine that it knows, if there is an agent, or at this one.
  void Report(const NodeName& node);
  void Report(const NodeName& node, model::Machine machine);
  void RemoveAgent(const NodeName& node);

 private:
  void NoteLeft(const model::Pod& pod);
  void EndProcessesOf(LeftBehind::iterator ended);

  Cluster& cluster_;
  LeftBehind left_;
};

}  // namespace gs::scenarios
