#include "bench/core/processor_time.h"

#include <time.h>

namespace gs::bench {

double MicrosecondsUsed() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

}  // namespace gs::bench
