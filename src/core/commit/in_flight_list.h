// InFlightList: the pods that the election Lease has to name, and in which revision of the list
// each of them appears first.
//
// A pod is on every list from the one it was added for until it is removed, so whoever knows that a
// revision or a later one is stored knows that the pod is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "base/ids.h"
#include "core/model/command.h"
#include "core/model/pod.h"

namespace gs::commit {

class InFlightList {
 public:
  // What fits on the election Lease, and what a successor can touch in a moment.
  static constexpr std::size_t kMaxPods = 128;

  [[nodiscard]] bool has_room() const { return pods_.size() < kMaxPods; }

  // The revision that will name it. Requires: has_room().
  [[nodiscard]] std::uint64_t Add(const model::PodRef& pod);
  void Remove(const PodUid& pod);
  // What the predecessor has left is no longer needed.
  void DropInherited() { has_changed_ = true; }

  // Of all changes since the last call, one list; nothing if there were none.
  [[nodiscard]] std::optional<model::ListInFlight> TakeChange();

 private:
  std::map<PodUid, model::PodRef> pods_;
  std::uint64_t revision_ = 0;  // given out last
  bool has_changed_ = false;
};

}  // namespace gs::commit
