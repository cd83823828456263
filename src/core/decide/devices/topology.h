// Topology: the wiring of one node in the form the chooser reads. Built once per machine shape,
// then immutable.
//
// Holds nothing that changes from pod to pod: who holds a GPU and whether it is healthy is
// Availability's business.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "core/decide/devices/gpu_set.h"
#include "core/model/device.h"

namespace gs::devices {

class Topology {
 public:
  // Refuses more than kMaxGpus GPUs, ids that are not strictly ascending, and a link matrix of
  // another size. A GPU without a stated island belongs to the island of the GPUs it has NVLink or
  // xGMI links to, directly or through others; one without links is an island of its own.
  [[nodiscard]] static Result<Topology> Of(const model::Machine& machine);

  // Whether both have the same topology, told without building it. As costly as comparing them
  // where the links are not one copy.
  [[nodiscard]] static bool IsSameOf(const model::Machine& a, const model::Machine& b);

  // Only a count is known: ids 0 … count-1, every GPU an island of its own. Requires: count <=
  // kMaxGpus.
  [[nodiscard]] static Topology Counted(std::size_t count);

  [[nodiscard]] std::size_t size() const { return ids_.size(); }
  [[nodiscard]] GpuSet all() const { return GpuSet::FirstN(size()); }
  [[nodiscard]] GpuId id(std::size_t position) const { return ids_[position]; }
  [[nodiscard]] std::vector<GpuId> IdsOf(GpuSet set) const;
  // Positions of those ids; ids the node does not have are left out.
  [[nodiscard]] GpuSet PositionsOf(const std::vector<GpuId>& ids) const;

  // 100 per NVLink or xGMI link plus 10 (across sockets) to 60 (one board) for the PCIe class.
  [[nodiscard]] std::int32_t PairScore(std::size_t a, std::size_t b) const {
    return pair_score_[a * size() + b];
  }
  [[nodiscard]] std::int32_t PairBandwidth(std::size_t a, std::size_t b) const {
    return pair_bandwidth_[a * size() + b];
  }
  // Sum over all pairs of the set.
  [[nodiscard]] std::int64_t ScoreOf(GpuSet set) const;
  // Sum over all pairs of one GPU with a set it is not in.
  [[nodiscard]] std::int64_t ScoreBetween(std::size_t position, GpuSet set) const;
  // Lowest bandwidth of any pair; 0 if one is not reported, or for fewer than two GPUs.
  [[nodiscard]] std::int32_t MinBandwidthOf(GpuSet set) const;
  // The GPUs that have at least this bandwidth to the one at `position`, itself left out.
  [[nodiscard]] GpuSet ReachableAt(std::size_t position, std::int32_t min_bandwidth_gbps) const;

  // Groups as disjoint sets, each ordered by its first GPU. A GPU whose NUMA node is unknown shares
  // none.
  [[nodiscard]] const std::vector<GpuSet>& islands() const { return islands_; }
  [[nodiscard]] const std::vector<GpuSet>& numa_nodes() const { return numa_nodes_; }
  [[nodiscard]] const std::vector<GpuSet>& switches() const { return switches_; }
  [[nodiscard]] std::size_t IslandsTouched(GpuSet set) const;
  [[nodiscard]] GpuSet IslandOf(std::size_t position) const;

  // Number of runs of consecutive ids, and distance between the lowest and the highest id.
  [[nodiscard]] std::int32_t RunsOf(GpuSet set) const;
  [[nodiscard]] std::int32_t SpanOf(GpuSet set) const;

  // Same topology, same choices: machines that compare equal share their tables.
  friend bool operator==(const Topology&, const Topology&) = default;
  friend auto operator<=>(const Topology&, const Topology&) = default;

 private:
  explicit Topology(std::vector<GpuId> ids);
  void ReadPairs(const model::LinkMatrix& links);
  void ReadGroups(const model::Machine& machine);
  void Seal();

  std::uint64_t fingerprint_ = 0;  // of all fields below; first, so that most comparisons end here
  std::vector<GpuId> ids_;
  std::vector<std::int32_t> pair_score_;
  std::vector<std::int32_t> pair_bandwidth_;
  std::vector<GpuSet> islands_;
  std::vector<GpuSet> numa_nodes_;
  std::vector<GpuSet> switches_;
  GpuSet follows_previous_;  // positions whose id is one above the id before
};

}  // namespace gs::devices
