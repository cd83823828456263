// SteadyTime: points in time that only move forward, at the pace of the monotonic clock, beginning
// with the wall clock's time. A wall clock that is set while we run does not move our deadlines.
#pragma once

#include <algorithm>
#include <chrono>

#include "adapters/runtime/clock.h"
#include "base/time.h"

namespace gs::runtime {

class SteadyTime {
 public:
  // The clock must outlive it.
  explicit SteadyTime(const Clock& clock)
      : clock_(clock), start_(clock.WallTime()), started_at_(clock.Monotonic()) {}

  // From any thread.
  [[nodiscard]] TimePoint Now() const { return start_ + (clock_.Monotonic() - started_at_); }
  // For a wait until then, but never for longer than an hour.
  [[nodiscard]] std::chrono::steady_clock::time_point DeadlineAt(TimePoint time) const {
    const auto wait = std::clamp<Duration>(time - Now(), Duration(0), std::chrono::hours(1));
    return std::chrono::steady_clock::now() + wait;
  }

 private:
  const Clock& clock_;
  const TimePoint start_;
  const Duration started_at_;
};

}  // namespace gs::runtime
