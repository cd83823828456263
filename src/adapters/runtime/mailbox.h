// Mailbox: how other threads hand values to the one thread that owns some state. Any thread may
// push; one thread takes. A full mailbox refuses instead of blocking, so that a slow owner cannot
// stop the threads that feed it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <limits>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "adapters/runtime/mutex.h"

namespace gs::runtime {

enum class Pushed : std::uint8_t { kTaken, kFull, kClosed };

template <class T>
class Mailbox {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();
  static constexpr Deadline kNoDeadline = Deadline::max();

  explicit Mailbox(std::size_t capacity = kUnbounded) : capacity_(capacity) {}

  // The value is lost unless the answer is kTaken.
  [[nodiscard]] Pushed Push(T value) GS_EXCLUDES(mutex_);

  // The oldest value. Empty-handed once the deadline has passed, the stop is requested, or the
  // mailbox is closed and has nothing left. A deadline in the past takes what is there.
  [[nodiscard]] std::optional<T> Pop(Deadline deadline = kNoDeadline,
                                     const std::stop_token& stop = {}) GS_EXCLUDES(mutex_);
  // Waits as Pop does, and takes everything, in the order of the pushes.
  [[nodiscard]] std::vector<T> Drain(Deadline deadline = kNoDeadline,
                                     const std::stop_token& stop = {}) GS_EXCLUDES(mutex_);

  // Refuses further pushes and wakes the owner. What was pushed before can still be taken.
  void Close() GS_EXCLUDES(mutex_);

  [[nodiscard]] bool is_closed() const GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return is_closed_;
  }
  [[nodiscard]] std::size_t size() const GS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return values_.size();
  }

 private:
  void Await(Deadline deadline, const std::stop_token& stop) GS_REQUIRES(mutex_);
  void Wake() GS_EXCLUDES(mutex_);

  const std::size_t capacity_;
  mutable Mutex mutex_;
  Condition changed_;
  std::deque<T> values_ GS_GUARDED_BY(mutex_);
  bool is_closed_ GS_GUARDED_BY(mutex_) = false;
};

template <class T>
Pushed Mailbox<T>::Push(T value) {
  const MutexLock lock(mutex_);
  if (is_closed_) return Pushed::kClosed;
  if (values_.size() >= capacity_) return Pushed::kFull;
  values_.push_back(std::move(value));
  changed_.NotifyOne();
  return Pushed::kTaken;
}

template <class T>
std::optional<T> Mailbox<T>::Pop(Deadline deadline, const std::stop_token& stop) {
  // Outside the lock: its destructor may have to wait for a Wake() that is running.
  const std::stop_callback wake(stop, [this] { Wake(); });
  const MutexLock lock(mutex_);
  Await(deadline, stop);
  if (values_.empty() || stop.stop_requested()) return std::nullopt;
  std::optional<T> value(std::move(values_.front()));
  values_.pop_front();
  return value;
}

template <class T>
std::vector<T> Mailbox<T>::Drain(Deadline deadline, const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] { Wake(); });
  const MutexLock lock(mutex_);
  Await(deadline, stop);
  if (stop.stop_requested()) return {};
  std::vector<T> taken(std::make_move_iterator(values_.begin()),
                       std::make_move_iterator(values_.end()));
  values_.clear();
  return taken;
}

template <class T>
void Mailbox<T>::Await(Deadline deadline, const std::stop_token& stop) {
  while (values_.empty() && !is_closed_ && !stop.stop_requested()) {
    // Who only looks does not wait: that would be a call of the system each time.
    if (deadline <= std::chrono::steady_clock::now()) return;
    if (!changed_.WaitUntil(mutex_, deadline)) return;
  }
}

template <class T>
void Mailbox<T>::Close() {
  const MutexLock lock(mutex_);
  is_closed_ = true;
  changed_.NotifyAll();
}

template <class T>
void Mailbox<T>::Wake() {
  // Under the lock, so that the wake-up cannot fall between the owner's look and its wait.
  const MutexLock lock(mutex_);
  changed_.NotifyAll();
}

}  // namespace gs::runtime
