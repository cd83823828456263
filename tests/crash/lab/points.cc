#include "tests/crash/lab/points.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "adapters/kube/fence/fence_lease.h"
#include "adapters/kube/write/command_requests.h"
#include "core/model/names.h"

namespace gs::crash {
namespace {

using http::Method;
using runtime::MutexLock;

constexpr std::array<std::pair<Point, std::string_view>, 7> kNames{{
    {Point::kTakeoverWrite, "takeover-write"},
    {Point::kListWrite, "list-write"},
    {Point::kUnlistWrite, "unlist-write"},
    {Point::kLeaseWrite, "lease-write"},
    {Point::kBindingWrite, "binding-write"},
    {Point::kBindingAnswer, "binding-answer"},
    {Point::kTouchWrite, "touch-write"},
}};

std::string_view PathOf(const http::Request& request) {
  return std::string_view(request.target).substr(0, request.target.find('?'));
}

bool IsOfLeases(const http::Request& request) {
  return PathOf(request).find("/leases") != std::string_view::npos;
}

// Of a pod with GPUs: nobody lists the others, so nothing depends on their fate.
bool IsBinding(const http::Request& request) {
  return request.method == Method::kPost && PathOf(request).ends_with("/binding") &&
         request.body.find(model::names::kAllocated) != std::string::npos;
}

bool IsTouch(const http::Request& request) {
  return request.method == Method::kPatch && PathOf(request).ends_with("/status") &&
         request.body.find(kube::kFenceCondition) != std::string::npos;
}

bool IsGpuLease(const std::string& body) {
  return body.find("\"gpu.scheduling/managed\"") != std::string::npos;
}

bool HasAll(const std::set<PodUid>& these, const std::set<PodUid>& those) {
  return std::includes(these.begin(), these.end(), those.begin(), those.end());
}

}  // namespace

std::string_view ToString(Point point) {
  for (const auto& [each, name] : kNames) {
    if (each == point) return name;
  }
  return "";
}

std::optional<Point> ParsePoint(std::string_view name) {
  for (const auto& [point, each] : kNames) {
    if (each == name) return point;
  }
  return std::nullopt;
}

std::string PointNames() {
  std::string names;
  for (const auto& [point, name] : kNames) {
    names += names.empty() ? "" : ", ";
    names += name;
  }
  return names;
}

std::vector<Point> PointFinder::BeforeWrite(const http::Request& request) const {
  if (IsBinding(request)) return {Point::kBindingWrite};
  if (IsTouch(request)) return {Point::kTouchWrite};
  const bool is_write = request.method == Method::kPost || request.method == Method::kPut;
  if (!is_write || !IsOfLeases(request)) return {};
  if (IsGpuLease(request.body)) return {Point::kLeaseWrite};
  const auto written = RecordIn(request.body);
  return written ? OfFence(*written) : std::vector<Point>();
}

std::optional<PointFinder::Record> PointFinder::RecordIn(const std::string& body) const {
  const auto fence = kube::DecodeFenceLease(body);
  if (!fence || fence->metadata.name.text() != kube::kFenceName) return std::nullopt;
  const kube::ReleaseRecord* record = FindRecord(*fence, scheduler_);
  if (record == nullptr) return std::nullopt;
  Record found{.transitions = record->transitions};
  for (const model::InFlightPod& entry : record->in_flight) found.listed.insert(entry.pod.uid);
  return found;
}

std::vector<Point> PointFinder::OfFence(const Record& written) const {
  const MutexLock lock(mutex_);
  std::vector<Point> points;
  if (written.transitions != stored_.transitions) points.push_back(Point::kTakeoverWrite);
  if (!HasAll(stored_.listed, written.listed)) points.push_back(Point::kListWrite);
  if (!HasAll(written.listed, stored_.listed)) points.push_back(Point::kUnlistWrite);
  return points;
}

std::vector<Point> PointFinder::OnAnswer(const http::Request& request,
                                         const http::Response& response) {
  if (IsBinding(request)) return {Point::kBindingAnswer};
  if (!IsOfLeases(request)) return {};
  auto stored = RecordIn(response.body);
  if (!stored) return {};
  const MutexLock lock(mutex_);
  stored_ = *std::move(stored);
  return {};
}

}  // namespace gs::crash
