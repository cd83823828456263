// EventSeries: how often the same thing may be told. What is repeated within ten minutes becomes a
// count on one object, and a pod about which something new is said all the time is told less often.
//
// Pure: time comes in as an argument. Memory is bounded; what was not used for longest is
// forgotten, which costs another object and nothing else. For one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "adapters/kube/write/event_note.h"
#include "adapters/kube/write/recent_map.h"
#include "base/time.h"

namespace gs::kube {

struct EventSeriesOptions {
  Duration window = std::chrono::minutes(10);  // from one repetition to the next
  // Per pod and reason, so that a pod that failed often can still be told to be scheduled.
  std::int64_t burst = 25;
  Duration refill = std::chrono::minutes(5);  // one more
  std::size_t capacity = 4096;
};

// What to write: a new object where the count is one, else the count of an object that is there.
struct EventWrite {
  std::string name;
  std::int64_t count = 1;

  friend bool operator==(const EventWrite&, const EventWrite&) = default;
};

class EventSeries {
 public:
  // Requires: positive numbers.
  explicit EventSeries(EventSeriesOptions options = {});

  // Nothing: it is too much for now. A repetition still counts, and shows with the next write.
  [[nodiscard]] std::optional<EventWrite> Add(const EventNote& event, TimePoint now);
  // The object could not be written, so the next one is new.
  void Forget(const EventNote& event);

 private:
  struct Series {
    std::string name;
    std::int64_t count = 1;
    TimePoint last;
  };
  struct Bucket {
    std::int64_t tokens = 0;
    TimePoint filled_at;
  };
  [[nodiscard]] bool TakeToken(const EventNote& event, TimePoint now);
  void Refill(Bucket& bucket, TimePoint now) const;

  EventSeriesOptions options_;
  RecentMap<Series> series_;
  RecentMap<Bucket> buckets_;
};

}  // namespace gs::kube
