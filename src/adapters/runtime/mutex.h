// A mutex that clang can check: fields say GS_GUARDED_BY(mutex_), and a build with -Wthread-safety
// refuses code that touches them without a MutexLock. Waiting is done with a Condition.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "adapters/runtime/thread_annotations.h"

namespace gs::runtime {

class GS_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  Mutex(Mutex&&) = delete;
  Mutex& operator=(Mutex&&) = delete;
  ~Mutex() = default;

  // In lower case, as the standard library wants a lock to be spelt. Use MutexLock instead.
  void lock() GS_ACQUIRE() { mutex_.lock(); }
  void unlock() GS_RELEASE() { mutex_.unlock(); }

 private:
  friend class Condition;

  std::mutex mutex_;
};

class GS_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) GS_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() GS_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  MutexLock(MutexLock&&) = delete;
  MutexLock& operator=(MutexLock&&) = delete;

 private:
  Mutex& mutex_;
};

// Without predicates: the caller loops over a condition that the analysis can see.
class Condition {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  void Wait(Mutex& mutex) GS_REQUIRES(mutex) {
    Held held(mutex);
    changed_.wait(held.lock);
  }
  // False once the deadline has passed.
  [[nodiscard]] bool WaitUntil(Mutex& mutex, Deadline deadline) GS_REQUIRES(mutex) {
    // The far future would overflow on its way to the system call.
    if (deadline == Deadline::max()) return Wait(mutex), true;
    Held held(mutex);
    return changed_.wait_until(held.lock, deadline) == std::cv_status::no_timeout;
  }
  void NotifyOne() { changed_.notify_one(); }
  void NotifyAll() { changed_.notify_all(); }

 private:
  // The mutex of a caller who holds it before and after, as the standard library wants to see it.
  struct Held {
    explicit Held(Mutex& mutex) : lock(mutex.mutex_, std::adopt_lock) {}
    ~Held() { lock.release(); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    Held(Held&&) = delete;
    Held& operator=(Held&&) = delete;

    std::unique_lock<std::mutex> lock;
  };

  std::condition_variable changed_;
};

}  // namespace gs::runtime
