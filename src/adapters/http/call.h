// Call: one ordinary request on its way, and whoever waits for its outcome, who is told exactly
// once: also if everything that was to tell is destroyed before. Inside this folder only.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

#include "adapters/http/outcome.h"
#include "adapters/http/transport.h"
#include "base/time.h"

namespace gs::http {

// Far timeouts must not overflow the clock.
[[nodiscard]] inline Deadline After(Duration timeout) {
  constexpr Duration kMost = std::chrono::hours(24 * 365);
  return std::chrono::steady_clock::now() + std::min(timeout, kMost);
}

struct Call {
  Call(Request what, Deadline until, std::stop_token cancels, std::function<void(Outcome)> told)
      : request(std::move(what)),
        deadline(until),
        stop(std::move(cancels)),
        then(std::move(told)) {}
  ~Call() {
    if (then) Tell(Unknown{Error(ErrorKind::kUnavailable, "the I/O threads have stopped")});
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  Call(Call&&) = delete;
  Call& operator=(Call&&) = delete;

  void Tell(Outcome outcome) { std::exchange(then, nullptr)(std::move(outcome)); }
  [[nodiscard]] bool is_over() const {
    return stop.stop_requested() || std::chrono::steady_clock::now() >= deadline;
  }

  Request request;
  const Deadline deadline;
  const std::stop_token stop;
  std::function<void(Outcome)> then;  // empty once it was told

  // Of the Http2Sender that has it.
  std::uint64_t number = 0;
  bool was_repeated = false;
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
};

}  // namespace gs::http
