#include "programs/check/reporter.h"

#include <chrono>

namespace gs::check {

bool Reporter::Run(Duration interval, const Report& report) {
  auto next = std::chrono::steady_clock::now();
  while (true) {
    if (!report()) return false;
    next += interval;
    const runtime::MutexLock lock(mutex_);
    while (!is_stopped_ && changed_.WaitUntil(mutex_, next)) {
    }
    if (is_stopped_) return true;
  }
}

void Reporter::Stop() {
  const runtime::MutexLock lock(mutex_);
  is_stopped_ = true;
  changed_.NotifyAll();
}

}  // namespace gs::check
