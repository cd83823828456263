// The words under which people hear, as Kubernetes events, of what should not be.
#pragma once

#include <array>
#include <string_view>

namespace gs::cycle {

inline constexpr std::string_view kDoubleAllocation = "DoubleAllocation";
inline constexpr std::string_view kForeignGpuPod = "ForeignGpuPod";
inline constexpr std::string_view kResultEdited = "ResultEdited";
inline constexpr std::string_view kReleaseTimedOut = "ReleaseTimedOut";
inline constexpr std::string_view kGpuRenumbered = "GpuRenumbered";

inline constexpr std::array kWarningReasons{kDoubleAllocation, kForeignGpuPod, kResultEdited,
                                            kReleaseTimedOut, kGpuRenumbered};

}  // namespace gs::cycle
