#include "core/cycle/demand.h"

#include <algorithm>

namespace gs::cycle {

void Demand::Set(const PodUid& pod, std::int64_t gpus) {
  const auto known = gpus_.find(pod);
  const std::int64_t before = known == gpus_.end() ? 0 : known->second;
  const std::int64_t now = std::max<std::int64_t>(gpus, 0);
  if (before == now) return;
  weights_.Add(before, -1);
  weights_.Add(now);
  if (now == 0) {
    gpus_.erase(known);
  } else if (known == gpus_.end()) {
    gpus_.emplace(pod, now);
  } else {
    known->second = now;
  }
}

}  // namespace gs::cycle
