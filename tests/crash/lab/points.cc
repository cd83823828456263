#include "tests/crash/lab/points.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <variant>

#include "adapters/kube/election/election_lease.h"
#include "adapters/kube/write/command_requests.h"

namespace gs::crash {
namespace {

using http::Method;
using runtime::MutexLock;

constexpr std::array<std::pair<Point, std::string_view>, 6> kNames{{
    {Point::kListWrite, "list-write"},
    {Point::kReleaseWrite, "release-write"},
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

bool IsBinding(const http::Request& request) {
  return request.method == Method::kPost && PathOf(request).ends_with("/binding");
}

bool IsTouch(const http::Request& request) {
  return request.method == Method::kPatch && PathOf(request).ends_with("/status") &&
         request.body.find(kube::kFenceCondition) != std::string::npos;
}

// The election Lease in a body; none if it is another Lease, or no Lease at all.
std::optional<kube::ElectionLease> ElectionIn(const std::string& body, const LeaseName& name) {
  auto lease = kube::DecodeElectionLease(body);
  if (!lease || lease->name != name) return std::nullopt;
  return *std::move(lease);
}

std::optional<std::set<PodUid>> ListOf(const kube::ElectionLease& lease) {
  const auto* pods = std::get_if<std::vector<model::PodRef>>(&lease.in_flight);
  if (pods == nullptr) return std::nullopt;
  std::set<PodUid> uids;
  for (const model::PodRef& pod : *pods) uids.insert(pod.uid);
  return uids;
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
  const auto election = ElectionIn(request.body, election_);
  if (!election) return {Point::kLeaseWrite};
  const auto listed = ListOf(*election);
  return listed ? OfElection(*listed) : std::vector<Point>();
}

std::vector<Point> PointFinder::OfElection(const std::set<PodUid>& listed) const {
  const MutexLock lock(mutex_);
  std::vector<Point> points;
  if (!HasAll(listed_, listed)) points.push_back(Point::kListWrite);
  if (!HasAll(listed, listed_)) points.push_back(Point::kReleaseWrite);
  return points;
}

std::vector<Point> PointFinder::OnAnswer(const http::Request& request,
                                         const http::Response& response) {
  if (IsBinding(request)) return {Point::kBindingAnswer};
  if (!IsOfLeases(request)) return {};
  const auto election = ElectionIn(response.body, election_);
  const auto listed = election ? ListOf(*election) : std::nullopt;
  if (!listed) return {};
  const MutexLock lock(mutex_);
  listed_ = *listed;
  return {};
}

}  // namespace gs::crash
