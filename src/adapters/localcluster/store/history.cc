#include "adapters/localcluster/store/history.h"

#include <algorithm>

namespace gs::localcluster {
namespace {

// What remembering a change keeps alive that nobody else does.
std::size_t OldBytes(const Change& change) {
  std::size_t bytes = sizeof(Change);
  if (change.before) bytes += change.before->text.size();
  if (change.kind == ChangeKind::kDeleted) bytes += change.object->text.size();
  return bytes;
}

}  // namespace

void History::Add(Change change) {
  old_bytes_ += OldBytes(change);
  changes_.push_back(std::move(change));
  while (changes_.size() > 1 && (changes_.size() > max_changes_ || old_bytes_ > max_old_bytes_)) {
    old_bytes_ -= OldBytes(changes_.front());
    forgotten_ = changes_.front().object->revision;
    changes_.pop_front();
  }
}

void History::Read(Revision after, std::size_t max, std::vector<Change>& out) const {
  auto it = std::upper_bound(
      changes_.begin(), changes_.end(), after,
      [](Revision revision, const Change& change) { return revision < change.object->revision; });
  for (; it != changes_.end() && max > 0; ++it, --max) out.push_back(*it);
}

}  // namespace gs::localcluster
