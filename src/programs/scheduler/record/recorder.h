// Recorder: writes what the scheduler's heart is told and commands into a file, so that somebody
// else can run it again: see docs/recordings.md.
//
// The file belongs to one life of the process: the one before is kept beside it under another name.
// It never grows beyond its limit, and a disk that is full ends the recording, not the scheduler.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "adapters/recording/recording.h"
#include "base/result.h"

namespace gs::scheduler {

struct RecorderOptions {
  std::filesystem::path file;
  std::int64_t max_bytes = 0;
  int kept_files = 0;  // of earlier lives: FILE.1 is the youngest
};

class Recorder {
 public:
  // Hears once why a recording has ended early; on the thread that records.
  using Ended = std::function<void(const Error&)>;

  // Moves earlier files along and begins a new one.
  [[nodiscard]] static Result<Recorder> Start(const RecorderOptions& options,
                                              const recording::Header& header, Ended ended);

  void Record(TimePoint at, bool is_draining, const std::vector<model::Event>& events,
              const std::vector<model::Command>& commands);

 private:
  Recorder(RecorderOptions options, std::ofstream out, Ended ended)
      : options_(std::move(options)), out_(std::move(out)), ended_(std::move(ended)) {}

  [[nodiscard]] Result<void> Write(const std::string& line);
  void End(const Error& why);

  RecorderOptions options_;
  std::ofstream out_;
  Ended ended_;
  std::int64_t bytes_ = 0;
};

}  // namespace gs::scheduler
