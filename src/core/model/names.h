// The labels, annotations, resources and kinds that this product reads and writes, each spelled
// once.
#pragma once

#include <string_view>

namespace gs::model::names {

// What a user writes on a pod.
inline constexpr std::string_view kMap = "gpu-scheduling-map";
inline constexpr std::string_view kClaim = "gpu.scheduling/claim";

// What the Binding writes on a pod.
inline constexpr std::string_view kAllocated = "gpu.scheduling/allocated";
inline constexpr std::string_view kVisibleDevices = "gpu.scheduling/visible-devices";
inline constexpr std::string_view kUuids = "gpu.scheduling/uuids";
inline constexpr std::string_view kAllocation = "gpu.scheduling/allocation";

// What controllers write on their pods. The second is a label on newer clusters and an annotation
// on all.
inline constexpr std::string_view kPodIndex = "apps.kubernetes.io/pod-index";
inline constexpr std::string_view kCompletionIndex = "batch.kubernetes.io/job-completion-index";
inline constexpr std::string_view kStatefulSet = "StatefulSet";

// The resource a device plugin counts.
inline constexpr std::string_view kGpuResource = "nvidia.com/gpu";

}  // namespace gs::model::names
