// The labels, annotations, resources and kinds that this product reads and writes, each spelled
// once.
#pragma once

#include <string_view>

namespace gs::model::names {

// What a user writes on a pod.
inline constexpr std::string_view kMap = "gpu-scheduling-map";
inline constexpr std::string_view kClaim = "gpu.scheduling/claim";

// How else a map may name a node, the first before the second: by the value of one of these labels.
inline constexpr std::string_view kMapNodeNameLabel = "gpu-node-name";
inline constexpr std::string_view kMapNodeLabel = "gpu-node";

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

// How a lock of ours is written into a Lease. The label of the node is left out where its name is
// too long for one.
inline constexpr std::string_view kManagedLabel = "gpu.scheduling/managed";  // "true"
inline constexpr std::string_view kNodeLabel = "gpu.scheduling/node";
inline constexpr std::string_view kFormatAnnotation = "gpu.scheduling/lease-format";
inline constexpr std::string_view kNodeAnnotation = "gpu.scheduling/node";
inline constexpr std::string_view kGpuAnnotation = "gpu.scheduling/gpu";
inline constexpr std::string_view kSchedulerAnnotation = "gpu.scheduling/scheduler";
inline constexpr std::string_view kModeAnnotation = "gpu.scheduling/mode";
inline constexpr std::string_view kControllerAnnotation = "gpu.scheduling/controller";
// [{"namespace": "team", "name": "a", "uid": "...", "plan": "0,1", "attempt": "..."}]
inline constexpr std::string_view kHoldersAnnotation = "gpu.scheduling/holders";
// A lock in another format is left alone: whoever wrote it knows what it stands for.
inline constexpr std::string_view kLeaseFormat = "1";

// Which agent writes a GpuNodeStatus: two for one node would undo each other's reports.
inline constexpr std::string_view kReporterAnnotation = "gpu.scheduling/agent";

// What tells a container its GPUs.
inline constexpr std::string_view kVisibleDevicesVariable = "CUDA_VISIBLE_DEVICES";

// The resources by which device plugins count whole GPUs; gpu_resource.h knows the others.
inline constexpr std::string_view kGpuResource = "nvidia.com/gpu";
inline constexpr std::string_view kAmdGpuResource = "amd.com/gpu";

}  // namespace gs::model::names
