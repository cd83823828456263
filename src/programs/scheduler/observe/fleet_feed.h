// FleetFeed: the fleet for whoever watches it. However many do, the cycle is asked once per period;
// all that happens within one is told at once. From any thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "adapters/http/server.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/mutex.h"
#include "base/time.h"
#include "core/explain/placeable_sets.h"
#include "programs/scheduler/observe/fleet.h"
#include "programs/scheduler/observe/questions.h"

namespace gs::scheduler {

struct FleetFeedParts {
  Questions& questions;
  explain::PlaceableSets& placeable;  // on the cycle's thread
  const runtime::Clock& clock;
  Duration patience;
  Duration period;
  std::size_t most_watchers = 32;
};

class FleetFeed : public std::enable_shared_from_this<FleetFeed> {
 public:
  explicit FleetFeed(FleetFeedParts parts) : parts_(parts) {}

  // At most a period old; null when the cycle is too busy. Requires: on a strand.
  [[nodiscard]] boost::asio::awaitable<std::shared_ptr<const Fleet>> Take() GS_EXCLUDES(mutex_);

  // Server-sent events until the client goes: `fleet` with all of it, then a `change` per period
  // with what is different, be it nothing but the time. Absent: too many watch.
  [[nodiscard]] std::optional<http::Reply> Watch() GS_EXCLUDES(mutex_);

 private:
  class Seat;  // of one who watches

  boost::asio::awaitable<void> Stream(std::shared_ptr<const Seat> seat, http::BodyWriter& writer);
  [[nodiscard]] std::shared_ptr<const Fleet> Recent() GS_EXCLUDES(mutex_);
  void Remember(std::shared_ptr<const Fleet> fleet) GS_EXCLUDES(mutex_);
  [[nodiscard]] bool Enter() GS_EXCLUDES(mutex_);
  void Leave() GS_EXCLUDES(mutex_);

  const FleetFeedParts parts_;
  runtime::Mutex mutex_;
  std::shared_ptr<const Fleet> last_ GS_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point taken_ GS_GUARDED_BY(mutex_);
  std::size_t watchers_ GS_GUARDED_BY(mutex_) = 0;
};

}  // namespace gs::scheduler
