// The pods of a Job: how they are made, which indexes of an Indexed Job are done, and how long to
// wait after failures.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/localcluster/objects/fields.h"
#include "base/time.h"

namespace gs::localcluster {

// Keeps a pod until it has been counted.
inline constexpr std::string_view kTrackingFinalizer = "batch.kubernetes.io/job-tracking";

[[nodiscard]] bool IsIndexed(const Json& job);
// Absent in a pod without a number.
[[nodiscard]] std::optional<std::int64_t> CompletionIndexOf(const Json& pod);

// Without a name where the Job is not Indexed.
[[nodiscard]] Json JobPod(const Json& job, std::optional<std::int64_t> index);
// "pi-" or "pi-3-": what its name begins with.
[[nodiscard]] std::string JobPodPrefix(const Json& job, std::optional<std::int64_t> index);

// "0-2,4" as numbers and back. What cannot be read counts as nothing.
[[nodiscard]] std::set<std::int64_t> ParseIndexes(std::string_view text);
[[nodiscard]] std::string PrintIndexes(const std::set<std::int64_t>& indexes);

// When the latest of its containers ended; the time it was last heard of where none says so.
[[nodiscard]] TimePoint FinishedAt(const Json& pod);

// When the next pod may be made: ten seconds after the last failure since a success, doubling with
// every further one up to six minutes. Absent without such failures.
[[nodiscard]] std::optional<TimePoint> BackoffUntil(const std::vector<Json>& pods);

}  // namespace gs::localcluster
