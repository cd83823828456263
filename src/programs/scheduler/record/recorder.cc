#include "programs/scheduler/record/recorder.h"

#include <system_error>

namespace gs::scheduler {
namespace {

namespace fs = std::filesystem;

fs::path Earlier(const fs::path& file, int number) {
  return file.string() + "." + std::to_string(number);
}

// FILE becomes FILE.1, that one FILE.2, and so on; the last one is dropped.
Result<void> MoveAlong(const RecorderOptions& options) {
  std::error_code problem;
  if (!fs::exists(options.file, problem)) return {};
  if (!fs::is_regular_file(options.file, problem)) {
    return Error(ErrorKind::kInvalid, options.file.string() + " is no file");
  }
  for (int number = options.kept_files; number > 1; --number) {
    fs::rename(Earlier(options.file, number - 1), Earlier(options.file, number), problem);
  }
  if (options.kept_files > 0) {
    fs::rename(options.file, Earlier(options.file, 1), problem);
    if (problem) {
      return Error(ErrorKind::kInvalid,
                   "cannot move " + options.file.string() + ": " + problem.message());
    }
  }
  return {};
}

}  // namespace

Result<Recorder> Recorder::Start(const RecorderOptions& options, const recording::Header& header,
                                 Ended ended) {
  if (auto moved = MoveAlong(options); !moved) return std::move(moved).error();
  std::ofstream out(options.file, std::ios::binary | std::ios::trunc);
  if (!out) {
    return Error(ErrorKind::kInvalid, "cannot write " + options.file.string())
        .Advise("name a file in a folder that exists and can be written to");
  }
  Recorder recorder(options, std::move(out), std::move(ended));
  auto written = recorder.Write(recording::EncodeHeader(header));
  if (!written) return std::move(written).error();
  return recorder;
}

void Recorder::Record(TimePoint at, bool is_draining, const std::vector<model::Event>& events,
                      const std::vector<model::Command>& commands) {
  if (!out_.is_open()) return;
  auto written = Write(recording::EncodeRun(at, is_draining, events, commands));
  if (!written) End(written.error());
}

// Whole lines only: what does not fit is not begun.
Result<void> Recorder::Write(const std::string& line) {
  const auto size = static_cast<std::int64_t>(line.size()) + 1;
  if (bytes_ + size > options_.max_bytes) {
    return Error(ErrorKind::kUnavailable, options_.file.string() + " has reached its limit of " +
                                              std::to_string(options_.max_bytes) + " bytes");
  }
  bytes_ += size;
  if (out_ << line << '\n' << std::flush) return {};
  return Error(ErrorKind::kUnavailable, "cannot write " + options_.file.string());
}

void Recorder::End(const Error& why) {
  out_.close();
  ended_(why);
}

}  // namespace gs::scheduler
