// From what is stated about GPUs and their links, be it in a machine file or in a report, to a
// machine that is consistent: ids are unique and ascending, links name GPUs that exist, and what
// two GPUs say about their link agrees.
//
// Whoever reads a text checks each value by itself, within the limits below; what values have to do
// with each other is checked here, with the place of the mistake in the refusal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/gpu_ids.h"
#include "base/ids.h"
#include "base/parse.h"
#include "base/result.h"
#include "core/model/device.h"
#include "core/model/link.h"

namespace gs::model {

inline constexpr IntegerRange kStatedIds{.min = 0, .max = kMaxGpuId};
inline constexpr IntegerRange kStatedNumaNodes{.min = -1, .max = 65535};  // -1: not known
inline constexpr IntegerRange kStatedMemories{.min = 0, .max = std::int64_t{1} << 40};
inline constexpr IntegerRange kStatedBandwidths{.min = 0, .max = 1'000'000};
// Above every machine that exists, and small enough that sums of link scores stay far from their
// limits.
inline constexpr IntegerRange kStatedLinkCounts{.min = 0, .max = 100};

// The words, for refusals.
inline constexpr std::string_view kHealthWords = "Healthy, Unhealthy";
inline constexpr std::string_view kLinkWords = "NVLink, NVSwitch, xGMI, PCIe";
inline constexpr std::string_view kPcieWords = "SYS, NODE, PHB, PXB, PIX, BOARD";

// A link as one of its ends states it.
struct StatedLink {
  GpuId peer;
  LinkKind kind = LinkKind::kNone;
  std::optional<std::int32_t> count;  // not stated: one, or none over PCIe only
  std::optional<PcieClass> pcie;      // not stated: by the NUMA nodes of the two
  std::int32_t bandwidth_gbps = 0;
};

struct StatedDevice {
  GpuDevice device;
  std::vector<StatedLink> links;
};

// A link may be stated by either end or by both, which must then agree. Pairs without a stated PCIe
// class share their NUMA node (NODE) if both are known to, else they are across sockets (SYS).
// `path` is where the list of devices is, for refusals: "status.devices".
[[nodiscard]] Result<Machine> MakeMachine(std::vector<StatedDevice> stated,
                                          const std::string& path);

}  // namespace gs::model
