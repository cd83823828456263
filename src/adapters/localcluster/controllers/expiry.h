// Things that go when their time is over: Events after an hour.
#pragma once

#include "adapters/localcluster/objects/write.h"

namespace gs::localcluster {

[[nodiscard]] Reconciled ExpireEvent(const Json& event, TimePoint now);

}  // namespace gs::localcluster
