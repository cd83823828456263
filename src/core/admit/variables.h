// Variables of containers that say which GPUs they may use, besides CUDA_VISIBLE_DEVICES.
#pragma once

#include <string_view>

namespace gs::admit {

// What the ids in CUDA_VISIBLE_DEVICES count.
inline constexpr std::string_view kDeviceOrderVariable = "CUDA_DEVICE_ORDER";
// What the NVIDIA runtime lets into the container at all.
inline constexpr std::string_view kRuntimeDevicesVariable = "NVIDIA_VISIBLE_DEVICES";

}  // namespace gs::admit
