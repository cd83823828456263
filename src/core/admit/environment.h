// Which variables a container must have so that it sees its GPUs and no others, and the changes
// that give it those. Variables that nobody here cares for stay as and where they are.
//
//   the pod                        the container   gets
//   gets ids, nobody counts        any             CUDA_VISIBLE_DEVICES from the annotation
//   gets ids, handover by UUID     any             NVIDIA_VISIBLE_DEVICES from the annotation
//   requests whole GPUs            requests n      CUDA_VISIBLE_DEVICES=0,...,n-1: a device plugin
//                                                  filters, and the container counts from 0
//   requests parts of GPUs         requests some   neither variable: the plugin sets what it needs
//   requests GPUs                  requests none   nothing to see, in both variables
//   has no GPU                     any             the same
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/admit/patch.h"
#include "core/admit/review.h"

namespace gs::admit {

enum class Handover : std::uint8_t {
  kEnv,   // ids in CUDA_VISIBLE_DEVICES: the container is told
  kUuid,  // UUIDs in NVIDIA_VISIBLE_DEVICES: the NVIDIA runtime lets nothing else in
};

enum class GpuKind : std::uint8_t {
  kNone,
  kCounted,  // some container requests a GPU resource
  kDirect,   // a map or a claim, and nobody requests it
};

[[nodiscard]] GpuKind GpuKindOf(const Review& review);

// What the variables have to be. Of a name that is in neither list, everything is fine.
struct Environment {
  std::vector<EnvVariable> set;
  std::vector<std::string_view> unset;
};

// Requires: container.gpus is within reason.
[[nodiscard]] Environment EnvironmentFor(const Container& container, GpuKind kind,
                                         Handover handover);

// `path` is the container's: "/spec/containers/0". Of several variables with one name the first
// keeps its place, since others may refer to it, and the rest go; new ones come first, for the
// same reason.
void AppendChanges(const std::string& path, const std::vector<EnvVariable>& env,
                   const Environment& wanted, Patch& patch);

}  // namespace gs::admit
