#include "adapters/localcluster/controllers/expiry.h"

#include <algorithm>

#include "adapters/localcluster/objects/metadata.h"

namespace gs::localcluster {

Reconciled ExpireEvent(const Json& event, TimePoint now) {
  constexpr auto kLife = std::chrono::hours(1);
  // An Event that happens again is written again, and lives from then on.
  TimePoint last = CreatedAt(event).value_or(now);
  last = std::max(last, TimeAt(event, {"lastTimestamp"}).value_or(last));
  last = std::max(last, TimeAt(event, {"series", "lastObservedTime"}).value_or(last));
  Reconciled reconciled;
  if (last + kLife > now) {
    reconciled.look_again = last + kLife;
  } else {
    reconciled.writes.push_back(Delete(event));
  }
  return reconciled;
}

}  // namespace gs::localcluster
