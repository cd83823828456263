// WorkQueue: which controllers have to look at which objects, and when. A task is there at most
// once, at the earliest time anybody asked for; one that failed waits longer every time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "adapters/localcluster/store/stored_object.h"
#include "base/time.h"

namespace gs::localcluster {

enum class Controller : std::uint8_t {
  kNamespace,
  kGarbage,
  kReplicaSet,
  kDeployment,
  kStatefulSet,
  kDaemonSet,
  kJob,
  kEndpoints,
  kEventExpiry,
  kNodeLifecycle,
  kClaim,
  kVolume,
  kBudget,
  kKubeletPod,
  kKubeletNode,
};

struct Task {
  Controller controller = Controller::kGarbage;
  ObjectKey key;

  friend auto operator<=>(const Task&, const Task&) = default;
};

class WorkQueue {
 public:
  void Add(const Task& task, TimePoint due);
  // The task that is due the longest; it is no longer in the queue.
  [[nodiscard]] std::optional<Task> Pop(TimePoint now);
  [[nodiscard]] std::optional<TimePoint> NextDue() const;

  // After a task was worked on: it went well, or is to be tried again later.
  void Succeeded(const Task& task) { failures_.erase(task); }
  void Failed(const Task& task, TimePoint now);
  [[nodiscard]] int FailuresOf(const Task& task) const;

 private:
  std::map<Task, TimePoint> due_;
  std::set<std::pair<TimePoint, Task>> order_;
  std::map<Task, int> failures_;
};

}  // namespace gs::localcluster
