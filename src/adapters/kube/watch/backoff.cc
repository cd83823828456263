#include "adapters/kube/watch/backoff.h"

#include <algorithm>

#include "base/check.h"

namespace gs::kube {

Backoff::Backoff(BackoffRange range, std::uint64_t seed)
    : range_(range), random_(seed), next_(range.first) {
  GS_CHECK(range.first > Duration(0) && range.first <= range.max);
}

Duration Backoff::Next() {
  const Duration delay = next_;
  next_ = next_ > range_.max / 2 ? range_.max : 2 * next_;
  const auto half = static_cast<std::uint64_t>((delay / 2).count());
  return delay - Duration(static_cast<Duration::rep>(random_() % (half + 1)));
}

}  // namespace gs::kube
