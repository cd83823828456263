// Points: the moments of a commit at which the process can be stopped or killed, told from the
// requests that pass the HTTP client.
//
// From any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "adapters/http/message.h"
#include "adapters/runtime/mutex.h"
#include "base/ids.h"

namespace gs::crash {

enum class Point : std::uint8_t {
  kTakeoverWrite,  // of the fence, whose record of our release gets another holder
  kListWrite,      // of the fence, with a pod that was not on our list before
  kUnlistWrite,    // of the fence, without a pod that was on our list
  kLeaseWrite,     // of the Lease of a GPU, made or changed
  kBindingWrite,   // behind the last look at who leads, before the first byte
  kBindingAnswer,  // read, and not told to anybody
  kTouchWrite,
};

[[nodiscard]] std::string_view ToString(Point point);
[[nodiscard]] std::optional<Point> ParsePoint(std::string_view name);
// "takeover-write, list-write, ..."
[[nodiscard]] std::string PointNames();

class PointFinder {
 public:
  explicit PointFinder(SchedulerName scheduler) : scheduler_(std::move(scheduler)) {}

  // Which points this is; one write of the fence can be several.
  [[nodiscard]] std::vector<Point> BeforeWrite(const http::Request& request) const
      GS_EXCLUDES(mutex_);
  [[nodiscard]] std::vector<Point> OnAnswer(const http::Request& request,
                                            const http::Response& response) GS_EXCLUDES(mutex_);

 private:
  // What our release says in the fence.
  struct Record {
    std::set<PodUid> listed;
    std::int64_t transitions = 0;  // counts takeovers
  };
  // Nothing: the body is no fence, or one without our record.
  [[nodiscard]] std::optional<Record> RecordIn(const std::string& body) const;
  [[nodiscard]] std::vector<Point> OfFence(const Record& written) const GS_EXCLUDES(mutex_);

  const SchedulerName scheduler_;
  mutable runtime::Mutex mutex_;
  Record stored_ GS_GUARDED_BY(mutex_);  // as the API server said last
};

}  // namespace gs::crash
