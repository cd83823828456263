// Whether a container sees the GPUs that were decided for its pod: its node and its variables
// against the annotations of its own pod, the map that it was made with, and the devices of a
// driver where one is there. It asks no API server: what a container cannot see, such as its node's
// labels, is not compared.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "programs/check/options.h"

namespace gs::check {

// What can differ, as metrics call it.
inline constexpr std::string_view kAspects[] = {"allocated", "node", "variable", "map", "devices"};

struct Mismatch {
  std::string_view aspect;  // one of kAspects
  std::string message;

  friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

// The variables by which a pod tells the program about itself, all from the downward API.
inline constexpr std::string_view kAllocatedVariable = "GPU_ALLOCATED";
inline constexpr std::string_view kUuidsVariable = "GPU_UUIDS";
inline constexpr std::string_view kMapVariable = "GPU_SCHEDULING_MAP";
inline constexpr std::string_view kIndexVariable = "POD_INDEX";

// `devices` are those that a driver shows to this container; nothing where there is no driver.
// Empty: all is as decided.
[[nodiscard]] std::vector<Mismatch> Verify(const std::string& node, const Environment& environment,
                                           const std::optional<std::vector<GpuUuid>>& devices);

// Where no driver shows a GPU to the container of a placed pod: which setting of the pod or of its
// node's container runtime is missing. Nothing where a driver shows one, or nobody placed the pod.
[[nodiscard]] std::optional<Mismatch> MissingDriver(
    const Environment& environment, const std::optional<std::vector<GpuUuid>>& devices);

}  // namespace gs::check
