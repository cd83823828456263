#include "adapters/runtime/clock.h"

#include <ctime>

#include "base/check.h"

namespace gs::runtime {
namespace {

Duration Read(clockid_t clock) {
  timespec now{};
  GS_CHECK(clock_gettime(clock, &now) == 0);
  return std::chrono::seconds(now.tv_sec) + Duration(now.tv_nsec);
}

}  // namespace

TimePoint SystemClock::WallTime() const { return TimePoint(Read(CLOCK_REALTIME)); }
Duration SystemClock::Monotonic() const { return Read(CLOCK_MONOTONIC); }
Duration SystemClock::SinceBoot() const { return Read(CLOCK_BOOTTIME); }

TimePoint ManualClock::WallTime() const {
  const MutexLock lock(mutex_);
  return wall_;
}

Duration ManualClock::Monotonic() const {
  const MutexLock lock(mutex_);
  return monotonic_;
}

Duration ManualClock::SinceBoot() const {
  const MutexLock lock(mutex_);
  return since_boot_;
}

void ManualClock::Advance(Duration by) {
  GS_CHECK(by >= Duration(0));
  const MutexLock lock(mutex_);
  wall_ += by;
  monotonic_ += by;
  since_boot_ += by;
}

void ManualClock::Suspend(Duration by) {
  GS_CHECK(by >= Duration(0));
  const MutexLock lock(mutex_);
  wall_ += by;
  since_boot_ += by;
}

void ManualClock::SetWallTime(TimePoint now) {
  const MutexLock lock(mutex_);
  wall_ = now;
}

}  // namespace gs::runtime
