// Reporter: reports now and after every interval until it is told to stop.
#pragma once

#include <functional>

#include "adapters/runtime/mutex.h"
#include "base/time.h"

namespace gs::check {

class Reporter {
 public:
  // False if it could not be written.
  using Report = std::function<bool()>;

  // Returns when stopped: true, or when a report cannot be written: false.
  [[nodiscard]] bool Run(Duration interval, const Report& report) GS_EXCLUDES(mutex_);
  // From any thread; also before Run.
  void Stop() GS_EXCLUDES(mutex_);

 private:
  runtime::Mutex mutex_;
  runtime::Condition changed_;
  bool is_stopped_ GS_GUARDED_BY(mutex_) = false;
};

}  // namespace gs::check
