// Stream: a made-up cluster and the pods that come to it. The same seed gives the same stream on
// every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/model/claim.h"
#include "core/model/device.h"

namespace gs::replay {

struct ReplayNode {
  std::string name;
  model::Machine machine;
};

struct Arrival {
  TimePoint at;
  Duration lasts{0};
  std::size_t claim = 0;  // in Stream::claims
};

struct Stream {
  std::vector<ReplayNode> nodes;
  std::vector<model::Claim> claims;
  std::vector<Arrival> arrivals;  // in the order of `at`

  [[nodiscard]] std::int64_t gpus() const;
};

// Machines with NVSwitch, with a hybrid mesh, with bridged pairs and with PCIe alone, of 4 to 16
// GPUs; pods of 1 to 8 GPUs, a third of the larger ones with links that they require. They arrive
// until they have asked for `demand` times the cluster in GPUs, evenly over a day; each stays so
// long that they would fill the cluster `load` times at any moment if there were room.
struct StreamOptions {
  std::uint32_t seed = 1;
  double demand = 1.3;
  double load = 1.0;
  bool ends = false;  // whether pods leave again
};
[[nodiscard]] Stream Generate(const StreamOptions& options);

}  // namespace gs::replay
