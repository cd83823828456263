// Recreator: pods of controllers that were made while the webhook was down are deleted once it
// answers again, so that their controllers make them anew and their containers learn their GPUs. A
// pod cannot be mended: its spec is fixed when it is made.
//
// Only pods that were never bound, as they were seen. A controller whose pods still do not meet the
// webhook is left alone for a while, and longer each time, so that nothing goes round in circles.
#pragma once

#include <functional>
#include <map>
#include <stop_token>
#include <thread>
#include <vector>

#include "adapters/runtime/clock.h"
#include "adapters/runtime/mutex.h"
#include "base/ids.h"
#include "core/cache/cache.h"
#include "core/model/pod.h"

namespace gs::scheduler {

struct UnseenPod {
  model::PodRef pod;
  ResourceVersion version;
  ControllerUid controller;
  bool is_of_job = false;  // which must not take it for a pod that failed

  friend bool operator==(const UnseenPod&, const UnseenPod&) = default;
};

// Those of that scheduler that a controller would make anew. Linear in the pods.
[[nodiscard]] std::vector<UnseenPod> FindUnseen(const cache::Cache& cache,
                                                const SchedulerName& scheduler);

struct RecreatorParts {
  std::function<bool()> is_webhook_there;  // may wait
  // Deletes it, unless it has changed since.
  std::function<void(const UnseenPod&)> remove;
};

class Recreator {
 public:
  static constexpr Duration kPeriod = std::chrono::seconds(5);
  // For one controller: API servers may learn a little later than we that the webhook is back.
  static constexpr Duration kFirstPause = std::chrono::seconds(10);
  static constexpr Duration kLongestPause = std::chrono::minutes(5);

  // Works on a thread of its own. The clock must outlive it, and so must what the parts refer to.
  Recreator(RecreatorParts parts, const runtime::Clock& clock, Duration period = kPeriod);
  ~Recreator() = default;
  Recreator(const Recreator&) = delete;
  Recreator& operator=(const Recreator&) = delete;
  Recreator(Recreator&&) = delete;
  Recreator& operator=(Recreator&&) = delete;

  // All there are at the moment. From any thread.
  void Tell(std::vector<UnseenPod> pods) GS_EXCLUDES(mutex_);

 private:
  struct Pause {
    Duration length;
    Duration until;
  };

  void Run(const std::stop_token& stop);
  void RemoveDue(const std::vector<UnseenPod>& pods);

  const RecreatorParts parts_;
  const runtime::Clock& clock_;
  const Duration period_;
  std::map<ControllerUid, Pause> pauses_;  // by the thread only
  runtime::Mutex mutex_;
  std::vector<UnseenPod> pods_ GS_GUARDED_BY(mutex_);
  std::jthread thread_;  // last: it uses all the others
};

}  // namespace gs::scheduler
