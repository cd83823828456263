// SchedulerMetrics: every metric of the scheduler, and what changes it. Names that kube-scheduler
// has mean here what they mean there; docs/metrics.md lists all, and a test compares. From any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kube/write/event_recorder.h"
#include "adapters/metrics/registry.h"
#include "adapters/runtime/mutex.h"
#include "base/ids.h"
#include "base/time.h"
#include "core/cycle/run_notes.h"
#include "core/model/command.h"
#include "core/model/event.h"
#include "programs/scheduler/observe/census.h"
#include "programs/scheduler/observe/write_end.h"

namespace gs::scheduler {

class SchedulerMetrics {
 public:
  SchedulerMetrics(std::string_view version, const SchedulerName& scheduler);

  // A run of the cycle that began at `now` and took that long.
  void CycleRan(const cycle::RunNotes& notes, const std::vector<model::Command>& commands,
                TimePoint now, Duration took);
  void WriteEnded(const WriteEnd& end);
  void ListBegan(model::Kind kind);
  void WatchBegan(model::Kind kind);
  void WatchFailed(model::Kind kind);
  void LeadershipWon(std::int64_t transitions);

  // What stands now; stays until the next.
  void Show(const Census& census);
  void Show(const kube::EventCounts& counts) GS_EXCLUDES(mutex_);

  [[nodiscard]] std::string Print() const { return registry_.Print(); }

 private:
  void ShowZeros(std::string_view version);
  void Show(const score::SetCounts& placeable);
  void AttemptEnded(const cycle::Ended& ended, TimePoint now);

  const std::string profile_;
  const metrics::Registry registry_;

  // kube-scheduler's.
  const metrics::Counters attempts_;
  const metrics::Histograms attempt_seconds_;
  const metrics::Histograms algorithm_seconds_;
  const metrics::Histograms sli_seconds_;
  const metrics::Histograms tries_;
  const metrics::Gauges pending_;
  const metrics::Gauges cache_size_;

  // Ours.
  const metrics::Gauges waiting_;
  const metrics::Gauges gpus_;
  const metrics::Gauges node_gpus_;
  const metrics::Gauges placeable_;
  const metrics::Counters writes_;
  const metrics::Histograms write_seconds_;
  const metrics::Counters failed_commits_;
  const metrics::Gauges in_flight_;
  const metrics::Counters lists_;
  const metrics::Counters watches_;
  const metrics::Counters watch_problems_;
  const metrics::Gauges leader_;
  const metrics::Gauges transitions_;
  const metrics::Gauges synced_;
  const metrics::Counters warnings_;
  const metrics::Counters events_;
  const metrics::Histograms cycle_seconds_;
  const metrics::Histograms creation_to_bound_seconds_;
  const metrics::Gauges build_;

  runtime::Mutex mutex_;
  kube::EventCounts shown_ GS_GUARDED_BY(mutex_);
};

}  // namespace gs::scheduler
