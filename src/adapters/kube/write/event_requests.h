// Kubernetes Events as requests, in events.k8s.io/v1. Pure functions of their arguments.
#pragma once

#include <string>

#include "adapters/kube/write/event_note.h"
#include "adapters/kube/write/event_series.h"
#include "adapters/kube/write/write_request.h"
#include "base/ids.h"
#include "base/time.h"

namespace gs::kube {

// Who says it.
struct EventSource {
  SchedulerName controller;
  std::string instance;               // which of several processes, such as its pod's name
  std::string action = "Scheduling";  // what it was doing

  friend bool operator==(const EventSource&, const EventSource&) = default;
};

// A new Event. What is longer than the API server takes is cut between two characters.
[[nodiscard]] Result<WriteRequest> CreateEventRequest(const EventNote& event,
                                                      const std::string& name,
                                                      const EventSource& source, TimePoint now);
// It happened again: `write.count` times by now. Requires: write.count > 1.
[[nodiscard]] Result<WriteRequest> RepeatEventRequest(const Namespace& ns, const EventWrite& write,
                                                      TimePoint now);

}  // namespace gs::kube
