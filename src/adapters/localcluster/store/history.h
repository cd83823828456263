// History: the latest changes of one resource, oldest first, within limits. What is forgotten is
// known by its revision, so that a watcher that missed something can be told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "adapters/localcluster/store/stored_object.h"

namespace gs::localcluster {

enum class ChangeKind : std::uint8_t { kAdded, kModified, kDeleted };

// A deleted object has its last state, with the revision of the deletion.
struct Change {
  ChangeKind kind = ChangeKind::kAdded;
  ObjectPtr object;
  ObjectPtr before;  // null if it was added
};

class History {
 public:
  // Nothing before `start` is known.
  History(Revision start, std::size_t max_changes, std::size_t max_old_bytes)
      : forgotten_(start), max_changes_(max_changes), max_old_bytes_(max_old_bytes) {}

  void Add(Change change);
  // False if changes after that revision are forgotten.
  [[nodiscard]] bool Reaches(Revision after) const { return after >= forgotten_; }
  [[nodiscard]] Revision forgotten() const { return forgotten_; }
  // Appends at most `max` to `out`. Requires: Reaches(after).
  void Read(Revision after, std::size_t max, std::vector<Change>& out) const;
  // Newest first, until one is not newer than `after`.
  template <class See>
  void ReadBack(Revision after, See see) const {
    for (auto it = changes_.rbegin(); it != changes_.rend(); ++it) {
      if (it->object->revision <= after) return;
      see(*it);
    }
  }

 private:
  std::deque<Change> changes_;
  Revision forgotten_;
  std::size_t old_bytes_ = 0;
  const std::size_t max_changes_;
  const std::size_t max_old_bytes_;
};

}  // namespace gs::localcluster
