// Which pod a process belongs to, by the control group that the kubelet put it in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/ids.h"

namespace gs::gpu {

// From the text of /proc/<pid>/cgroup, whichever way cgroups are mounted and named; empty: no pod.
[[nodiscard]] PodUid PodInCgroup(std::string_view text);

// Empty also where the process is gone or cannot be looked at.
[[nodiscard]] PodUid PodOfProcess(const std::filesystem::path& procfs, std::int64_t pid);

}  // namespace gs::gpu
