// Which resources of pods and nodes stand for GPUs. Who requests one gets GPUs, or parts of them,
// from a device plugin, and only the plugin knows which.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/model/names.h"
#include "core/model/resources.h"

namespace gs::model {

// Each unit of these is a GPU of its own.
inline constexpr std::array kWholeGpuResources{names::kGpuResource, names::kAmdGpuResource};

// nvidia.com/gpu, amd.com/gpu; parts: nvidia.com/gpu.shared, nvidia.com/mig-1g.5gb,
// amd.com/cpx_nps4; and gpu.intel.com/i915. A false yes keeps pods with ids off a node, a false no
// gives a GPU away twice.
[[nodiscard]] bool IsGpuResource(std::string_view name);
[[nodiscard]] bool IsWholeGpuResource(std::string_view name);

// Of a pod's requests: a device plugin hands out GPUs to it. Of a node: it has GPUs that a plugin
// counts.
[[nodiscard]] bool HasGpuResource(const Resources& resources);
// How many whole GPUs, by all names together.
[[nodiscard]] std::int64_t WholeGpus(const Resources& resources);
// The only resource that it has whole GPUs of; empty: none, or several.
[[nodiscard]] std::string_view WholeGpuResource(const Resources& resources);
// Requires: IsWholeGpuResource(resource).
void SetWholeGpus(Resources& resources, std::string_view resource, std::int64_t count);

}  // namespace gs::model
