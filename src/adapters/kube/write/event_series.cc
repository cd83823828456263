#include "adapters/kube/write/event_series.h"

#include <algorithm>

#include "base/dns_name.h"
#include "base/stable_hash.h"

namespace gs::kube {
namespace {

constexpr std::size_t kSuffix = 17;  // a dot and a hash

// Parts that cannot run into each other.
std::string KeyOf(const EventNote& event) {
  return event.about.uid + "\n" + event.reason + "\n" + std::string(ToString(event.type)) + "\n" +
         event.message;
}

std::string BucketOf(const EventNote& event) { return event.about.uid + "\n" + event.reason; }

// "pod.0123456789abcdef": found beside its pod in a list, and never twice.
std::string NameOf(const EventNote& event, TimePoint now) {
  std::string name = event.about.name.substr(0, kMaxDnsSubdomain - kSuffix);
  while (name.ends_with('-') || name.ends_with('.')) name.pop_back();
  return name + "." +
         StableHashHex(KeyOf(event) + "\n" + std::to_string(now.time_since_epoch().count()));
}

}  // namespace

EventSeries::EventSeries(EventSeriesOptions options)
    : options_(options), series_(options.capacity), buckets_(options.capacity) {
  GS_CHECK(options.burst > 0 && options.refill > Duration(0));
}

std::optional<EventWrite> EventSeries::Add(const EventNote& event, TimePoint now) {
  const bool may_write = TakeToken(event, now);
  const std::string key = KeyOf(event);
  Series* series = series_.Find(key);
  if (series != nullptr && now - series->last < options_.window) {
    ++series->count;
    series->last = std::max(series->last, now);
  } else if (may_write) {  // an object that is not written is no series
    series = &series_.Put(key, {.name = NameOf(event, now), .count = 1, .last = now});
  }
  if (!may_write) return std::nullopt;
  return EventWrite{series->name, series->count};
}

void EventSeries::Forget(const EventNote& event) { series_.Erase(KeyOf(event)); }

bool EventSeries::TakeToken(const EventNote& event, TimePoint now) {
  const std::string key = BucketOf(event);
  Bucket* bucket = buckets_.Find(key);
  if (bucket == nullptr) bucket = &buckets_.Put(key, {options_.burst, now});
  Refill(*bucket, now);
  if (bucket->tokens == 0) return false;
  --bucket->tokens;
  return true;
}

void EventSeries::Refill(Bucket& bucket, TimePoint now) const {
  // A clock that was set back starts the next wait anew.
  const Duration passed = std::max(now - bucket.filled_at, Duration(0));
  const std::int64_t tokens = passed / options_.refill;
  if (now < bucket.filled_at) bucket.filled_at = now;
  bucket.filled_at += tokens * options_.refill;
  bucket.tokens = std::min(bucket.tokens + tokens, options_.burst);
  if (bucket.tokens == options_.burst) bucket.filled_at = now;
}

}  // namespace gs::kube
