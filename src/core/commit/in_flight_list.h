// InFlightList: the pods that the fence has to name, and in which revision of the list each of them
// appears first.
//
// A pod is on every list from the one it was added for until it is certain what became of it, so
// whoever knows that a revision or a later one is stored knows that the pod is. A pod that is bound
// is taken off only once it was seen bound: the version at which it was seen is told in the same
// write, so that others know how new their view has to be to show it (SETTLED).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "core/model/command.h"
#include "core/model/fence.h"

namespace gs::commit {

class InFlightList {
 public:
  // What fits into the fence beside the lists of others, and what a successor can touch in a
  // moment.
  static constexpr std::size_t kMaxPods = 128;

  // Without the rule SETTLED, for tests, a bound pod is not waited for.
  explicit InFlightList(bool waits_for_sight) : waits_for_sight_(waits_for_sight) {}

  [[nodiscard]] bool has_room() const { return pods_.size() < kMaxPods; }
  [[nodiscard]] bool is_empty() const { return pods_.empty(); }

  // The predecessor has listed it.
  void Inherit(const model::InFlightPod& pod);
  // The revision that will name it. Requires: has_room().
  [[nodiscard]] std::uint64_t Add(const model::InFlightPod& pod);
  // The fence holds that revision, or a later one.
  void Listed(std::uint64_t revision);

  // The pod is bound, as planned or not; how far the view must come to show it. Empty: not seen.
  void SeenBound(const PodUid& pod, const ResourceVersion& version);
  // Its Binding has succeeded: taken off once it was seen bound.
  void Succeeded(const PodUid& pod);
  // No Binding of ours can succeed for it any more.
  void Remove(const PodUid& pod);

  // Whoever decides after us has to have come to that version too.
  void Settle(const ResourceVersion& version);
  // Of a silent release, and touched: to be taken off that release's list.
  void Drop(const model::InFlightPod& entry);
  [[nodiscard]] bool IsDropped(const model::InFlightPod& entry) const;
  // Whatever else there was to drop is off those lists, or has become another entry.
  void KeepDropped(const std::vector<model::InFlightPod>& silent);

  // Everything a predecessor may have sent is resolved: the mark goes with the revision returned.
  [[nodiscard]] std::uint64_t SettleFence();

  // Of all changes since the last call, one list; nothing if there were none. A newer view is a
  // change while the fence does not name all of them yet.
  [[nodiscard]] std::optional<model::ListInFlight> TakeChange(const ResourceVersion& view);

 private:
  struct Entry {
    model::InFlightPod pod;
    bool has_succeeded = false;
    ResourceVersion seen_bound;  // empty: not yet
  };

  void TakeOffIfSeen(const PodUid& pod);

  bool waits_for_sight_;  // constant after construction
  std::map<PodUid, Entry> pods_;
  std::vector<model::InFlightPod> dropped_;
  ResourceVersion settled_;     // the newest version at which a pod was taken off
  ResourceVersion view_;        // given out last
  std::uint64_t revision_ = 0;  // likewise
  std::uint64_t newest_ = 0;    // the first that names every pod
  std::uint64_t listed_ = 0;    // known to be stored
  bool is_settling_ = false;
  bool has_changed_ = false;
};

}  // namespace gs::commit
