// How a simulated node spends its time, and what a pod can say about the containers that only
// pretend to run: annotations of the pod, in seconds, fractions allowed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "adapters/localcluster/objects/fields.h"
#include "base/time.h"

namespace gs::localcluster {

inline constexpr std::string_view kRunSeconds = "gpu-local/run-seconds";      // then it exits
inline constexpr std::string_view kExitCode = "gpu-local/exit-code";          // with this
inline constexpr std::string_view kReadySeconds = "gpu-local/ready-seconds";  // until it is ready
inline constexpr std::string_view kStopSeconds = "gpu-local/stop-seconds";    // after being told to

struct Times {
  Duration start = std::chrono::milliseconds(100);     // from being bound to the first container
  Duration init_run = std::chrono::milliseconds(100);  // of init containers that pretend
  Duration job_run = std::chrono::seconds(2);          // of Job pods that pretend
  Duration first_backoff = std::chrono::seconds(10);   // before the second restart; doubles
  Duration max_backoff = std::chrono::minutes(5);
  Duration backoff_reset = std::chrono::minutes(10);  // a run of this length is forgiven
  Duration config_retry = std::chrono::seconds(5);    // after a missing ConfigMap or Secret
  Duration heartbeat = std::chrono::seconds(10);      // of a node
};

// The same, so many times as fast. Requires: factor > 0.
[[nodiscard]] Times Faster(const Times& times, std::int64_t factor);

// An annotation of the pod in seconds; absent if it is missing or no amount of time.
[[nodiscard]] std::optional<Duration> AnnotatedSeconds(const Json& pod, std::string_view name);
[[nodiscard]] int AnnotatedExitCode(const Json& pod);

// How long a container that pretends runs; absent: for ever. Init containers end by themselves, and
// so do the pods of Jobs.
enum class ContainerRole : std::uint8_t { kInit, kSidecar, kMain };
[[nodiscard]] std::optional<Duration> PretendedRun(const Json& pod, ContainerRole role,
                                                   const Times& times);

}  // namespace gs::localcluster
