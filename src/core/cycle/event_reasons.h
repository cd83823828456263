// The words under which people hear of pods as Kubernetes events.
#pragma once

#include <array>
#include <string_view>

namespace gs::cycle {

inline constexpr std::string_view kScheduled = "Scheduled";
inline constexpr std::string_view kFailedScheduling = "FailedScheduling";

// Of what should not be.
inline constexpr std::string_view kDoubleAllocation = "DoubleAllocation";
inline constexpr std::string_view kForeignGpuPod = "ForeignGpuPod";
inline constexpr std::string_view kResultEdited = "ResultEdited";
inline constexpr std::string_view kReleaseTimedOut = "ReleaseTimedOut";
inline constexpr std::string_view kGpuRenumbered = "GpuRenumbered";

inline constexpr std::string_view kNotTouched = "NotTouched";

inline constexpr std::array kWarningReasons{kDoubleAllocation, kForeignGpuPod, kResultEdited,
                                            kReleaseTimedOut,  kGpuRenumbered, kNotTouched};

}  // namespace gs::cycle
