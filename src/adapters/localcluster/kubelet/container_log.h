// ContainerLog: what one run of a container printed, line by line with the time of each, for
// `kubectl logs`. Bounded: the oldest lines go first.
//
// From any thread. Whoever follows it is woken at every line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/runtime/mutex.h"
#include "base/time.h"

namespace gs::localcluster {

class ContainerLog {
 public:
  explicit ContainerLog(std::size_t max_bytes = std::size_t{1} << 20) : max_bytes_(max_bytes) {}

  // Any bytes; a line is there once its end is. The two outputs are not mixed within a line.
  enum class Output : std::uint8_t { kOut, kError };
  void Append(Output output, std::string_view bytes, TimePoint now) GS_EXCLUDES(mutex_);
  // No more will come. What has no line end becomes a line.
  void Close(TimePoint now) GS_EXCLUDES(mutex_);

  struct Line {
    std::uint64_t number = 0;  // counted from 0, never reused
    TimePoint time;
    std::string text;  // without its end
  };
  struct Page {
    std::vector<Line> lines;
    std::uint64_t next = 0;
    bool is_closed = false;  // nothing will follow
  };
  // The lines from a number on, as far as they are still there.
  [[nodiscard]] Page Read(std::uint64_t from) const GS_EXCLUDES(mutex_);

  // Calls `wake` after every change, on the thread that made it, until the handle is gone; one call
  // may still be running then.
  using Wake = std::function<void()>;
  using WakeHandle = std::shared_ptr<const Wake>;
  [[nodiscard]] WakeHandle OnChange(Wake wake) GS_EXCLUDES(mutex_);

 private:
  void AddLine(std::string text, TimePoint now) GS_REQUIRES(mutex_);
  void WakeUp() GS_EXCLUDES(mutex_);

  const std::size_t max_bytes_;
  mutable runtime::Mutex mutex_;
  std::deque<Line> lines_ GS_GUARDED_BY(mutex_);
  std::size_t bytes_ GS_GUARDED_BY(mutex_) = 0;
  std::uint64_t next_ GS_GUARDED_BY(mutex_) = 0;
  std::string begun_[2] GS_GUARDED_BY(mutex_);  // lines without an end, by output
  bool is_closed_ GS_GUARDED_BY(mutex_) = false;
  std::vector<std::weak_ptr<const Wake>> wakes_ GS_GUARDED_BY(mutex_);
};

// Which lines somebody asked for, and how they are printed: `kubectl logs --tail --since
// --timestamps --limit-bytes`.
struct LogRequest {
  std::optional<std::int64_t> tail_lines;
  std::optional<TimePoint> since;
  bool has_timestamps = false;
};
// The number of the first line to print.
[[nodiscard]] std::uint64_t FirstLine(const ContainerLog::Page& page, const LogRequest& request);
[[nodiscard]] std::string PrintLine(const ContainerLog::Line& line, const LogRequest& request);

}  // namespace gs::localcluster
