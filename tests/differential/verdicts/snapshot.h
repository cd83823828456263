// Snapshot: one generated cluster with a pod to place, read from JSON by the decoders that the
// watches use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/model/event.h"
#include "core/model/pod.h"

namespace gs::differential {

struct Seen {
  model::Event event;
  model::Event gone;  // what would be told if it were no longer there
  std::string key;    // its kind, namespace and name
  std::string uid;
};

struct Snapshot {
  std::vector<Seen> seen;  // what there is, the pod to place included
  model::Pod pod;
};

// {"nodes": [...], "pods": [...], "pod": {...}}, each object as an API server returns it.
[[nodiscard]] Result<Snapshot> ReadSnapshot(std::string_view json);

}  // namespace gs::differential
