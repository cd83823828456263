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
  kListWrite,      // of the election Lease, with a pod that was not on its list before
  kReleaseWrite,   // of the election Lease, without a pod that was on its list
  kLeaseWrite,     // of the Lease of a GPU, made or changed
  kBindingWrite,   // behind the last look at who leads, before the first byte
  kBindingAnswer,  // read, and not told to anybody
  kTouchWrite,
};

[[nodiscard]] std::string_view ToString(Point point);
[[nodiscard]] std::optional<Point> ParsePoint(std::string_view name);
// "list-write, release-write, ..."
[[nodiscard]] std::string PointNames();

class PointFinder {
 public:
  explicit PointFinder(LeaseName election) : election_(std::move(election)) {}

  // Which points this is; one write of the election Lease can be two.
  [[nodiscard]] std::vector<Point> BeforeWrite(const http::Request& request) const
      GS_EXCLUDES(mutex_);
  [[nodiscard]] std::vector<Point> OnAnswer(const http::Request& request,
                                            const http::Response& response) GS_EXCLUDES(mutex_);

 private:
  [[nodiscard]] std::vector<Point> OfElection(const std::set<PodUid>& listed) const
      GS_EXCLUDES(mutex_);

  const LeaseName election_;
  mutable runtime::Mutex mutex_;
  std::set<PodUid> listed_ GS_GUARDED_BY(mutex_);  // as the API server said last
};

}  // namespace gs::crash
