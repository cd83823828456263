// Observer: hears what the scheduler does, and lets people see it: metrics, log lines about pods,
// and answers to whoever asks what there is. Nothing that is decided depends on it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kube/watch/watcher.h"
#include "adapters/kube/write/event_recorder.h"
#include "adapters/runtime/log.h"
#include "base/ids.h"
#include "base/time.h"
#include "core/cycle/cycle.h"
#include "core/explain/placeable_sets.h"
#include "core/model/command.h"
#include "core/model/event.h"
#include "programs/scheduler/observe/questions.h"
#include "programs/scheduler/observe/scheduler_metrics.h"
#include "programs/scheduler/observe/write_end.h"

namespace gs::scheduler {

class Observer {
 public:
  // `wake` makes the cycle's thread run soon; from any thread.
  Observer(std::string_view version, const SchedulerName& scheduler, const runtime::Logger& log,
           std::function<void()> wake)
      : log_(log), metrics_(version, scheduler), questions_(std::move(wake)) {}

  // On the cycle's thread, after each run.
  struct Run {
    const cycle::Cycle& cycle;
    const std::vector<model::Command>& commands;
    TimePoint began;
    Duration took;
    kube::EventCounts events;
  };
  void CycleRan(const Run& run);

  // From any thread.
  void WriteEnded(const WriteEnd& end);
  void WatcherBegan(model::Kind kind, kube::WatcherRequest request);
  void WatcherFailed(model::Kind kind, const Error& problem);
  void LeadershipWon(const model::LeadershipWon& won);

  // With what stands now, or last did if the cycle is busy for too long.
  [[nodiscard]] boost::asio::awaitable<std::string> MetricsText();
  [[nodiscard]] Questions& questions() { return questions_; }
  // On the cycle's thread: in answers to questions.
  [[nodiscard]] explain::PlaceableSets& placeable() { return placeable_; }

 private:
  const runtime::Logger& log_;
  SchedulerMetrics metrics_;
  explain::PlaceableSets placeable_;
  Questions questions_;
};

}  // namespace gs::scheduler
