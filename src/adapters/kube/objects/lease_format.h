// How a lock of ours is written into a Lease: the labels and annotations, each spelled once.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"
#include "core/model/lease.h"

namespace gs::kube {

inline constexpr std::string_view kManagedLabel = "gpu.scheduling/managed";  // "true"
inline constexpr std::string_view kNodeLabel = "gpu.scheduling/node";        // if it fits a label

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

// The Lease as JSON for a create or an update. uid and resourceVersion are written if they are
// known, as preconditions.
[[nodiscard]] std::string EncodeLease(const model::GpuLease& lease, const Namespace& ns);

}  // namespace gs::kube
