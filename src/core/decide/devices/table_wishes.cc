#include "core/decide/devices/table_wishes.h"

#include <utility>

namespace gs::devices {

void TableWishes::Note(const std::shared_ptr<const Topology>& topology, const TableKey& key) {
  if (last_.topology == topology && last_.key == key) return;
  last_ = {topology, key};
  if (!CanBuildTable(*topology, key)) return;
  const std::size_t bytes = TableBytes(*topology);
  if (bytes_ + bytes > max_bytes_ || !noted_[*topology].insert(key).second) return;
  bytes_ += bytes;
  new_.push_back({topology, key});
}

std::vector<TableWish> TableWishes::Take() { return std::exchange(new_, {}); }

}  // namespace gs::devices
