// The chooser's promise, written down once more in the slowest and plainest way: try every set and
// every partition. Shares nothing with the searches but the figures of Topology.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/decide/devices/choice.h"
#include "core/decide/devices/topology.h"

namespace gs::testing {

// Best total score over all partitions of the GPUs into sets of `size` and one smaller one.
[[nodiscard]] std::int64_t BruteForcePartition(const devices::Topology& topology,
                                               std::vector<std::size_t> gpus, std::size_t size);

// The set the request should get, or nothing. For at most about 9 candidates.
[[nodiscard]] std::optional<devices::GpuSet> BruteForceChoice(
    const devices::Topology& topology, const devices::Availability& availability,
    const devices::Request& request);

// What a set must satisfy besides being free, checked pair by pair.
[[nodiscard]] bool SatisfiesTopology(const devices::Topology& topology,
                                     const devices::Request& request, devices::GpuSet set);

}  // namespace gs::testing
