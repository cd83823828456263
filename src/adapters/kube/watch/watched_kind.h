// WatchedKind: all that differs between the kinds that are watched, as values and pure functions.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "adapters/kube/objects/decode.h"
#include "adapters/kube/watch/object_meta.h"
#include "adapters/kube/watch/watch_request.h"
#include "base/ids.h"
#include "base/result.h"
#include "core/model/event.h"

namespace gs::kube {

struct WatchedKind {
  Collection collection;
  model::Kind kind = model::Kind::kPod;
  // A kind that is installed into a cluster: 404 means that there are none. Every API server knows
  // the others, so that a 404 of theirs says something about what stands before it, and nothing
  // about objects.
  bool may_be_missing = false;
  // A kind without which most pods can be placed: where our role does not let us see it there are
  // none either, which is said as a problem too.
  bool may_be_forbidden = false;
  // There may be many: the list is asked for as one and read while it arrives. In pages, neither
  // side would work while the other does, and those behind the first can be slow to come.
  bool is_streamed = false;
  // Null: all that the collection has. An object that is not wanted only moves the view on; one
  // that was told and no longer is wanted is gone.
  std::function<bool(const JsonSource& json)> is_wanted = nullptr;
  std::function<Result<model::Event>(const ObjectMeta& meta, const JsonSource& json)> decode_seen;
  // The version is that from which on the object is known to be gone.
  std::function<model::Event(const ObjectMeta& meta)> make_gone;
};

[[nodiscard]] WatchedKind Pods();
[[nodiscard]] WatchedKind Nodes();
[[nodiscard]] WatchedKind Claims();
// Their labels, by which pod affinity chooses them.
[[nodiscard]] WatchedKind Namespaces();
// The locks of GPUs in that namespace. All its Leases are watched, so that the write of an election
// Lease there brings the view to its version.
[[nodiscard]] WatchedKind Leases(Namespace ns);
// What agents report. An object that speaks of another node than its name says is refused, since
// two objects could then speak of the same node.
[[nodiscard]] WatchedKind Machines();
// Volume claims, volumes, and whatever else says where a pod's volumes can be had. Not every
// cluster serves all of it.
[[nodiscard]] std::vector<WatchedKind> StorageKinds();

}  // namespace gs::kube
