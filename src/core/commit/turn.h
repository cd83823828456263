// Turn: what every step of the protocol may use while one event is handled.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "base/time.h"
#include "core/commit/fence_messages.h"
#include "core/commit/observed.h"
#include "core/model/command.h"

namespace gs::commit {

struct Turn {
  TimePoint now;
  const Observed& observed;
  FenceMessages& messages;
  std::vector<model::Command>& commands;  // what to send goes here
};

// How long to wait after so many failures in a row: a quarter of a second, doubled up to 16 s.
[[nodiscard]] inline Duration BackoffAfter(int failures) {
  return std::chrono::milliseconds(250) * (1 << std::clamp(failures - 1, 0, 6));
}

[[nodiscard]] inline std::optional<TimePoint> Earlier(std::optional<TimePoint> a,
                                                      std::optional<TimePoint> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

}  // namespace gs::commit
