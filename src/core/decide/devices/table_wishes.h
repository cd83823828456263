// TableWishes: tables that decisions would have been faster with. Whoever runs the decisions has
// them built elsewhere and adds them when they are there. A table changes how fast an answer comes
// and never the answer, so it does not matter when it does.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "core/decide/devices/table.h"
#include "core/decide/devices/topology.h"

namespace gs::devices {

struct TableWish {
  std::shared_ptr<const Topology> topology;
  TableKey key;
};

class TableWishes {
 public:
  // What users ask for must not fill the memory: what comes after so many bytes of tables is
  // searched for ever.
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

  explicit TableWishes(std::size_t max_bytes = kMaxBytes) : max_bytes_(max_bytes) {}

  // Each is wished for once. One that cannot be built is not.
  void Note(const std::shared_ptr<const Topology>& topology, const TableKey& key);
  [[nodiscard]] std::vector<TableWish> Take();

 private:
  const std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::map<Topology, std::set<TableKey>> noted_;
  std::vector<TableWish> new_;
  TableWish last_{};  // noted; the next node mostly is of the same model
};

}  // namespace gs::devices
