// Recording: everything the scheduler's heart was told, when, and what it commanded, as lines of
// JSON. The same events at the same times give the same commands, so a recording can be run again.
//
// The first line is the header; then one line per run. A line is whole or it does not count: a
// process may die while it writes one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/cycle/cycle.h"
#include "core/model/command.h"
#include "core/model/event.h"

namespace gs::recording {

inline constexpr std::int64_t kFormat = 2;
// The oldest that is still read.
inline constexpr std::int64_t kOldestFormat = 1;

struct Header {
  std::string program_version;
  cycle::CycleOptions options;
};

// One call of Cycle::RunOnce.
struct Run {
  TimePoint at;
  bool is_draining = false;
  std::vector<model::Event> events;
  std::vector<model::Command> commands;

  friend bool operator==(const Run&, const Run&) = default;
};

// Without the end of the line.
[[nodiscard]] std::string EncodeHeader(const Header& header);
[[nodiscard]] std::string EncodeRun(TimePoint at, bool is_draining,
                                    const std::vector<model::Event>& events,
                                    const std::vector<model::Command>& commands);
[[nodiscard]] std::string EncodeCommand(const model::Command& command);

[[nodiscard]] Result<Header> DecodeHeader(std::string_view line);
[[nodiscard]] Result<Run> DecodeRun(std::string_view line);

}  // namespace gs::recording
