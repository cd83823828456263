// Tables: for one machine shape and one kind of request, the answer for every set of free GPUs, by
// bit mask.
//
// BuildTable is a pure function for a worker thread; the finished table is handed to the cache, and
// from then on a choice among up to 16 GPUs is one look-up.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/decide/devices/choice.h"
#include "core/decide/devices/mask_partition.h"
#include "core/decide/devices/objective.h"
#include "core/decide/devices/topology.h"

namespace gs::devices {

// What of a request a table depends on.
struct TableKey {
  std::int32_t count = 1;
  Aim aim = Aim::kTogether;
  bool is_required = false;
  std::int32_t min_bandwidth_gbps = 0;  // 0 unless required

  [[nodiscard]] static TableKey Of(const Request& request);
  friend auto operator<=>(const TableKey&, const TableKey&) = default;
};

class Table {
 public:
  // The best set among these free GPUs; empty if there is none.
  [[nodiscard]] GpuSet Best(GpuSet unused) const { return GpuSet(choice_[unused.bits()]); }
  // Positions are mask bits: the partition is of the whole machine.
  [[nodiscard]] const MaskPartition& partition() const { return partition_; }

 private:
  friend std::optional<Table> BuildTable(const Topology& topology, const TableKey& key);
  Table(MaskPartition partition, std::vector<std::uint16_t> choice)
      : partition_(std::move(partition)), choice_(std::move(choice)) {}

  MaskPartition partition_;
  std::vector<std::uint16_t> choice_;
};

// A machine has at most 16 GPUs, and a count that it can have.
[[nodiscard]] bool CanBuildTable(const Topology& topology, const TableKey& key);
// What a table of that machine takes in memory. Requires: it can be built.
[[nodiscard]] std::size_t TableBytes(const Topology& topology);

// Nothing where it cannot be built. Cost at 16 GPUs: see bench/README.md.
[[nodiscard]] std::optional<Table> BuildTable(const Topology& topology, const TableKey& key);

// Finished tables by machine shape: nodes of one model share theirs.
class TableCache {
 public:
  // Null if it was not built yet.
  [[nodiscard]] const Table* Find(const Topology& topology, const TableKey& key) const;
  void Add(const Topology& topology, const TableKey& key, Table table);

 private:
  std::map<Topology, std::map<TableKey, Table>> tables_;
};

}  // namespace gs::devices
