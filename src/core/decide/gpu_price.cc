#include "core/decide/gpu_price.h"

namespace gs::decide {
namespace {

bool MeetsPreference(const CountedGpus& asked, const devices::Choice& choice) {
  return choice.islands == 1 && choice.min_bandwidth_gbps >= asked.preferred_bandwidth_gbps;
}

}  // namespace

GpuPrice PriceOf(const devices::Choice& choice, const devices::Topology& topology,
                 const devices::Availability& availability, const CountedGpus& asked) {
  const devices::GpuSet free = availability.unused - availability.unhealthy;
  const devices::GpuSet left = free - choice.set;
  return {.misses_preference = asked.prefers_one_island && !MeetsPreference(asked, choice) ? 1 : 0,
          .lost = score::FindLostSets(topology, free, left),
          .free_gpus_left = static_cast<std::int64_t>(left.size())};
}

bool ArePricedAlike(const CountedGpus& a, const CountedGpus& b) {
  return a.prefers_one_island == b.prefers_one_island &&
         a.preferred_bandwidth_gbps == b.preferred_bandwidth_gbps && a.request == b.request;
}

}  // namespace gs::decide
