// EventRecorder: writes Kubernetes Events, on a thread of its own.
//
// Events are for people and nothing depends on them: recording never waits, and what cannot be
// written is counted and lost. Repetitions become counts: see event_series.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <thread>

#include "adapters/kube/api/api_client.h"
#include "adapters/kube/write/event_note.h"
#include "adapters/kube/write/event_requests.h"
#include "adapters/kube/write/event_series.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/mailbox.h"
#include "adapters/runtime/mutex.h"
#include "base/time.h"

namespace gs::kube {

struct EventRecorderOptions {
  EventSource source;
  std::size_t max_waiting = 1024;
  Duration timeout = std::chrono::seconds(10);  // of one write
  EventSeriesOptions series;
};

// What became of the events so far; those that wait are in none of them.
struct EventCounts {
  std::uint64_t written = 0;
  std::uint64_t limited = 0;   // too many about one pod
  std::uint64_t overflow = 0;  // too many waited
  std::uint64_t failed = 0;    // refused, or nobody knows

  friend bool operator==(const EventCounts&, const EventCounts&) = default;
};

class EventRecorder {
 public:
  // Client and clock must outlive it.
  EventRecorder(ApiClient& client, const runtime::Clock& clock, EventRecorderOptions options);
  // Cancels the write that is running; what waits is lost.
  ~EventRecorder() = default;
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;
  EventRecorder(EventRecorder&&) = delete;
  EventRecorder& operator=(EventRecorder&&) = delete;

  // From any thread. Returns at once.
  void Record(EventNote event) GS_EXCLUDES(mutex_);
  // From any thread.
  [[nodiscard]] EventCounts counts() const GS_EXCLUDES(mutex_);

 private:
  struct Waiting {
    EventNote event;
    TimePoint time;  // when it happened, not when its turn came
  };
  void Run(const std::stop_token& stop);
  void WriteOne(const Waiting& waiting, const std::stop_token& stop);
  void Count(std::uint64_t EventCounts::*what) GS_EXCLUDES(mutex_);

  ApiClient& client_;
  const runtime::Clock& clock_;
  const EventRecorderOptions options_;
  EventSeries series_;  // only the thread's

  runtime::Mailbox<Waiting> waiting_;
  mutable runtime::Mutex mutex_;
  EventCounts counts_ GS_GUARDED_BY(mutex_);

  std::jthread thread_;  // last, so that it ends before what it uses
};

}  // namespace gs::kube
