// Replay: runs a recording again, through the same heart, and compares what it commands with what
// it commanded then.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace gs::scheduler {

struct ReplayOptions {
  std::string file;
  std::optional<TimePoint> until;  // nothing later is run
  std::string explain;             // "namespace/pod": how it stands at the end; empty: no pod
};

struct ReplayResult {
  std::int64_t runs = 0;
  std::int64_t events = 0;
  std::int64_t commands = 0;
  TimePoint first;
  TimePoint last;
  std::string version;      // that wrote it
  bool is_cut = false;      // the last line is not whole: its writer died
  std::string explanation;  // of the pod that was asked for
  std::string difference;   // empty: all commands are the same
};

// An error: the file is no recording, or has no such pod.
[[nodiscard]] Result<ReplayResult> Replay(std::istream& in, const ReplayOptions& options);

// For people.
[[nodiscard]] std::string ToString(const ReplayResult& result);

}  // namespace gs::scheduler
