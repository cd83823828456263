// Which GPUs may be in one set: everything, or with mode Required only one island with fast enough
// pairs. A set is allowed exactly if each of its pairs is, so the questions here are about cliques;
// all answers are exact.
#pragma once

#include <array>
#include <cstdint>

#include "core/decide/devices/choice.h"
#include "core/decide/devices/gpu_set.h"
#include "core/decide/devices/topology.h"

namespace gs::devices {

class Restriction {
 public:
  [[nodiscard]] static Restriction None(const Topology& topology);
  // One island, and every pair with at least this bandwidth (0: any).
  [[nodiscard]] static Restriction OneIsland(const Topology& topology,
                                             std::int32_t min_bandwidth_gbps);
  [[nodiscard]] static Restriction Of(const Topology& topology, const Request& request);

  // The GPUs that may be in a set with this one.
  [[nodiscard]] GpuSet PartnersOf(std::size_t position) const { return partners_[position]; }
  [[nodiscard]] bool Allows(GpuSet set) const;

  // The largest allowed set among the candidates that has all of `must`; empty if `must` itself is
  // not allowed. Exact branch and bound with colouring; microseconds on real machines.
  [[nodiscard]] GpuSet Largest(GpuSet candidates, GpuSet must) const;

 private:
  std::array<GpuSet, kMaxGpus> partners_{};
};

// The highest bandwidth b such that an allowed set of `count` candidates exists in one island with
// every pair at b or more; 0 if there is none.
[[nodiscard]] std::int32_t BestBandwidth(const Topology& topology, GpuSet candidates, GpuSet must,
                                         std::size_t count);

}  // namespace gs::devices
