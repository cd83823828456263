// Clock: the present, for adapters and programs; everything below them gets times as arguments.
// Three clocks, because each can do what the others cannot: the wall clock can be told to others,
// the monotonic one never jumps, and the boot clock also counts while the machine sleeps.
#pragma once

#include "adapters/runtime/mutex.h"
#include "base/time.h"

namespace gs::runtime {

class Clock {
 public:
  Clock() = default;
  virtual ~Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  Clock(Clock&&) = delete;
  Clock& operator=(Clock&&) = delete;

  // From any thread.
  [[nodiscard]] virtual TimePoint WallTime() const = 0;
  // Since an arbitrary moment; stands still while the machine is suspended.
  [[nodiscard]] virtual Duration Monotonic() const = 0;
  // Since the machine was booted, suspension included: for leases that others see expire.
  [[nodiscard]] virtual Duration SinceBoot() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] TimePoint WallTime() const override;
  [[nodiscard]] Duration Monotonic() const override;
  [[nodiscard]] Duration SinceBoot() const override;
};

// Moves only when told to.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(TimePoint start = {}) : wall_(start) {}

  [[nodiscard]] TimePoint WallTime() const override;
  [[nodiscard]] Duration Monotonic() const override;
  [[nodiscard]] Duration SinceBoot() const override;

  // Time passes. Requires: by >= 0.
  void Advance(Duration by);
  // The machine sleeps: everything but the monotonic clock moves. Requires: by >= 0.
  void Suspend(Duration by);
  // Somebody sets the wall clock; the others do not care.
  void SetWallTime(TimePoint now);

 private:
  mutable Mutex mutex_;
  TimePoint wall_ GS_GUARDED_BY(mutex_);
  Duration monotonic_ GS_GUARDED_BY(mutex_){0};
  Duration since_boot_ GS_GUARDED_BY(mutex_){0};
};

}  // namespace gs::runtime
