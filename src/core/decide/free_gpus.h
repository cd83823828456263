// FreeGpus: how the GPUs of a node stand, for whoever wants whole ones.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>

#include "core/cache/node_view.h"
#include "core/decide/devices/choice.h"
#include "core/decide/devices/topology.h"
#include "core/decide/node_gpu_state.h"

namespace gs::decide {

struct FreeGpus {
  std::shared_ptr<const devices::Topology> topology{};  // null: none that can be used
  std::uint64_t unused = 0;
  std::uint64_t unhealthy = 0;

  [[nodiscard]] devices::Availability availability() const;
  [[nodiscard]] bool HasFree(std::int32_t count) const {
    return std::popcount(unused & ~unhealthy) >= count;
  }
  friend bool operator==(const FreeGpus&, const FreeGpus&) = default;
};

[[nodiscard]] FreeGpus FreeGpusOf(const cache::NodeView& view, TopologyMemo& topologies);

}  // namespace gs::decide
