// Points in time and lengths of time as values, and how Kubernetes and Go write them. Never reads a
// clock: whoever needs the present gets it as an argument.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gs {

// Nanoseconds: 64 bits reach from 1677 to 2262.
using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::sys_time<Duration>;

// How much of a second is printed. What does not fit is cut off, never rounded into the future.
enum class TimeDetail : std::uint8_t {
  kSeconds,  // 2024-05-01T12:00:00Z, as in creationTimestamp
  kMicros,   // 2024-05-01T12:00:00.000000Z, as in a Lease's renewTime
  kNanos,    // exact
};

// RFC 3339 as Kubernetes writes it: up to nine digits of a second, 'Z' or an offset such as +02:00.
[[nodiscard]] Result<TimePoint> ParseTime(std::string_view text);
// Always in UTC.
[[nodiscard]] std::string PrintTime(TimePoint time, TimeDetail detail = TimeDetail::kSeconds);

// Go's form: numbers with units h m s ms us ns, largest first by habit but not by rule, an optional
// fraction and sign: "1h30m", "250ms", "-1.5s"; a bare "0" needs no unit. What is finer than a
// nanosecond is cut off.
[[nodiscard]] Result<Duration> ParseDuration(std::string_view text);
// The shortest such form: "1h30m", "1.5s", "0s". Go reads it back as the same value.
[[nodiscard]] std::string PrintDuration(Duration duration);

}  // namespace gs
