// Reporter: prints the line now and after every interval until it is told to stop.
#pragma once

#include <functional>
#include <string>

#include "adapters/runtime/mutex.h"
#include "base/time.h"

namespace gs::check {

class Reporter {
 public:
  // `print` gets one line; false if it could not be written.
  using Print = std::function<bool(const std::string& line)>;

  // Returns when stopped: true, or when a line cannot be written: false.
  [[nodiscard]] bool Run(const std::string& line, Duration interval, const Print& print)
      GS_EXCLUDES(mutex_);
  // From any thread; also before Run.
  void Stop() GS_EXCLUDES(mutex_);

 private:
  runtime::Mutex mutex_;
  runtime::Condition changed_;
  bool is_stopped_ GS_GUARDED_BY(mutex_) = false;
};

}  // namespace gs::check
