// What a user asks for in a GpuClaim, and the words it is written in.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "core/model/claim_status.h"
#include "core/model/labels.h"

namespace gs::model {

enum class DevicePolicy : std::uint8_t {
  kContiguous,  // close together
  kSpread,      // far apart
  kPreferIds,   // these ids if they are free, the rest as contiguous
};

enum class TopologyMode : std::uint8_t {
  kPreferred,  // the best that is free, never blocks
  kRequired,   // one island and the asked bandwidth, else the pod waits
  kIgnore,     // adjacency of ids only
};

enum class Exclusivity : std::uint8_t { kExclusive, kShared };

[[nodiscard]] std::string_view ToString(DevicePolicy policy);
[[nodiscard]] std::string_view ToString(TopologyMode mode);
[[nodiscard]] std::string_view ToString(Exclusivity exclusivity);

// Case-insensitive.
[[nodiscard]] std::optional<DevicePolicy> ParseDevicePolicy(std::string_view text);
[[nodiscard]] std::optional<TopologyMode> ParseTopologyMode(std::string_view text);
[[nodiscard]] std::optional<Exclusivity> ParseExclusivity(std::string_view text);

// "contiguous, spread, preferIds" and so on, for help and error texts.
[[nodiscard]] std::string DevicePolicyNames();
[[nodiscard]] std::string TopologyModeNames();
[[nodiscard]] std::string ExclusivityNames();

// spec.devices
struct DeviceRequest {
  std::int32_t count = 1;
  DevicePolicy policy = DevicePolicy::kContiguous;
  std::vector<GpuId> prefer_ids;  // in the order written; only with kPreferIds
  Exclusivity exclusivity = Exclusivity::kExclusive;

  friend bool operator==(const DeviceRequest&, const DeviceRequest&) = default;
};

// spec.topology
struct TopologyRequest {
  TopologyMode mode = TopologyMode::kPreferred;
  std::int32_t min_bandwidth_gbps = 0;  // bidirectional GB/s of every pair; 0: any

  friend bool operator==(const TopologyRequest&, const TopologyRequest&) = default;
};

// A GpuClaim: a request that any number of pods of its namespace may name, each getting GPUs of its
// own.
struct Claim {
  Namespace ns;
  ClaimName name;
  ResourceVersion resource_version;
  DeviceRequest devices;
  std::optional<TopologyRequest> topology;  // absent: no topology block was written
  Labels match_labels;
  // As it stands in the cluster, to see whether it has to be written; absent: nothing readable.
  std::optional<ClaimStatus> status;

  friend bool operator==(const Claim&, const Claim&) = default;
};

// Whether pods get the same through both.
[[nodiscard]] bool AskTheSame(const Claim& a, const Claim& b);

[[nodiscard]] std::string ToString(const Claim& claim);
std::ostream& operator<<(std::ostream& out, const Claim& claim);

}  // namespace gs::model
