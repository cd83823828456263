// What keeps a pod from being made: things that could never work, or that only the scheduler may
// say. Each refusal tells what is wrong and how to mend it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/admit/environment.h"
#include "core/admit/review.h"

namespace gs::admit {

// More than any machine has; the list of ids has to fit into a variable.
inline constexpr std::int64_t kMaxGpusOfContainer = 1024;

// Nothing: the pod is fine. Only what is new in the review is looked at.
[[nodiscard]] std::optional<std::string> RefusalOf(const Review& review, Handover handover);

}  // namespace gs::admit
