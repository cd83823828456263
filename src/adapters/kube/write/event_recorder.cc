#include "adapters/kube/write/event_recorder.h"

#include <utility>

#include "adapters/kube/write/writer.h"

namespace gs::kube {

EventRecorder::EventRecorder(ApiClient& client, const runtime::Clock& clock,
                             EventRecorderOptions options)
    : client_(client),
      clock_(clock),
      options_(std::move(options)),
      series_(options_.series),
      waiting_(options_.max_waiting),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void EventRecorder::Record(EventNote event) {
  const auto pushed = waiting_.Push({std::move(event), clock_.WallTime()});
  if (pushed != runtime::Pushed::kTaken) Count(&EventCounts::overflow);
}

EventCounts EventRecorder::counts() const {
  const runtime::MutexLock lock(mutex_);
  return counts_;
}

void EventRecorder::Run(const std::stop_token& stop) {
  while (const auto next = waiting_.Pop(runtime::Mailbox<Waiting>::kNoDeadline, stop)) {
    WriteOne(*next, stop);
  }
}

void EventRecorder::WriteOne(const Waiting& waiting, const std::stop_token& stop) {
  const auto& [event, time] = waiting;
  const auto write = series_.Add(event, time);
  if (!write) return Count(&EventCounts::limited);
  auto request = write->count == 1 ? CreateEventRequest(event, write->name, options_.source, time)
                                   : RepeatEventRequest(event.ns(), *write, time);
  const WriteReply reply =
      Write(client_, std::move(request), {.timeout = options_.timeout, .stop = stop});
  if (reply.answer.outcome == model::WriteOutcome::kDone) return Count(&EventCounts::written);
  // Perhaps the object expired, perhaps it was never there.
  series_.Forget(event);
  Count(&EventCounts::failed);
}

void EventRecorder::Count(std::uint64_t EventCounts::*what) {
  const runtime::MutexLock lock(mutex_);
  ++(counts_.*what);
}

}  // namespace gs::kube
