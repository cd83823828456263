// Backoff: how long to wait before trying again, longer each time. The same seed gives the same
// waits; different seeds keep many clients from coming back at the same moment. For one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>

#include "base/time.h"

namespace gs::kube {

struct BackoffRange {
  Duration first = std::chrono::milliseconds(500);
  Duration max = std::chrono::seconds(30);
};

class Backoff {
 public:
  // Requires: 0 < first <= max.
  Backoff(BackoffRange range, std::uint64_t seed);

  // Doubles from call to call up to the maximum; a random part of up to half is taken off.
  [[nodiscard]] Duration Next();
  // It worked: begin again with the first.
  void Reset() { next_ = range_.first; }

 private:
  BackoffRange range_;  // constant after construction
  std::mt19937_64 random_;
  Duration next_;
};

}  // namespace gs::kube
