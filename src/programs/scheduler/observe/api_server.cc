#include "programs/scheduler/observe/api_server.h"

#include <boost/json/serialize.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "programs/scheduler/observe/api_json.h"
#include "programs/scheduler/observe/explain_json.h"
#include "programs/scheduler/observe/place_request.h"

namespace gs::scheduler {
namespace {

http::Response Json(int status, std::string body) {
  return {.status = status,
          .headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
          .body = std::move(body)};
}

http::Response Refuse(int status, std::string_view message, const ApiParts& parts) {
  http::Response response = Json(status, ApiRefusal(status, message, parts.clock.WallTime()));
  if (status == 503) response.headers.Add("Retry-After", "1");
  return response;
}

http::Response RefuseMethod(const std::string& allowed, const ApiParts& parts) {
  http::Response response = Refuse(405, "use " + allowed, parts);
  response.headers.Add("Allow", allowed);
  return response;
}

http::Response RefuseBusy(const ApiParts& parts) {
  return Refuse(503, "the scheduler is too busy to answer; ask again", parts);
}

ApiMoment MomentOf(const cycle::Cycle& cycle, const runtime::Clock& clock) {
  return {
      .time = clock.WallTime(), .is_leading = cycle.is_deciding(), .is_synced = cycle.is_synced()};
}

// The reports of one moment.
template <class Report>
struct Picture {
  ApiMoment moment;
  std::vector<Report> reports;
};

// Only the copying is done on the cycle's thread; the text is made here.
template <class Report>
boost::asio::awaitable<http::Reply> Answer(ApiParts parts, std::string_view kind,
                                           std::vector<Report> (*read)(const cycle::Cycle&)) {
  const std::function<Picture<Report>(const cycle::Cycle&)> take =
      [&clock = parts.clock, read](const cycle::Cycle& cycle) {
        return Picture<Report>{MomentOf(cycle, clock), read(cycle)};
      };
  const auto picture = co_await Ask<Picture<Report>>(parts.questions, parts.patience, take);
  if (!picture) co_return RefuseBusy(parts);
  co_return Json(200,
                 boost::json::serialize(ApiList(kind, picture->moment, picture->reports)) + "\n");
}

std::vector<explain::NodeReport> ReadGpus(const cycle::Cycle& cycle) {
  return explain::ReportGpus(cycle.cache());
}
std::vector<explain::PodReport> ReadPods(const cycle::Cycle& cycle) {
  return explain::ReportPods(cycle.cache(), cycle.pending(), cycle.scheduler());
}
std::vector<explain::ClaimReport> ReadClaims(const cycle::Cycle& cycle) {
  return explain::ReportClaims(cycle.cache());
}

// A value, and the moment it is of.
template <class What>
struct At {
  ApiMoment moment;
  What what;
};

std::optional<PodExplanation> ReadExplanation(const cycle::Cycle& cycle, const Namespace& ns,
                                              const PodName& name) {
  // The same name may have been used before.
  const cache::PodRecord* found = nullptr;
  for (const auto& [uid, record] : cycle.cache().pods()) {
    const bool is_meant = record.pod.ref.ns == ns && record.pod.ref.name == name &&
                          record.pod.scheduler == cycle.scheduler() && !record.pod.is_terminal();
    if (is_meant) found = &record;
  }
  if (found == nullptr) return std::nullopt;
  PodExplanation explained{.pod = explain::ReportPod(*found, cycle.cache(), cycle.pending()),
                           .explanation = std::nullopt,
                           .reservation = cycle.keep().reservation()};
  if (explained.pod.state == explain::PodState::kWaiting) {
    explained.explanation = cycle.Look(
        [found](const explain::Scene& scene) { return explain::Explain(found->pod, scene); });
  }
  return explained;
}

boost::asio::awaitable<http::Reply> ExplainPod(std::string path, ApiParts parts) {
  const std::size_t slash = path.find('/');
  if (slash == std::string::npos || path.find('/', slash + 1) != std::string::npos) {
    co_return Refuse(404, "the path is /api/v1/explain/NAMESPACE/POD", parts);
  }
  using Answered = At<std::optional<PodExplanation>>;
  const std::function<Answered(const cycle::Cycle&)> read =
      [&clock = parts.clock, ns = Namespace(path.substr(0, slash)),
       name = PodName(path.substr(slash + 1))](const cycle::Cycle& cycle) {
        return Answered{MomentOf(cycle, clock), ReadExplanation(cycle, ns, name)};
      };
  const auto answer = co_await Ask<Answered>(parts.questions, parts.patience, read);
  if (!answer) co_return RefuseBusy(parts);
  if (!answer->what) {
    co_return Refuse(404, "this scheduler knows no such pod that has not ended: " + path, parts);
  }
  co_return Json(200,
                 boost::json::serialize(ExplanationJson(answer->moment, *answer->what)) + "\n");
}

boost::asio::awaitable<http::Reply> Place(std::string body, ApiParts parts) {
  constexpr std::size_t kMostBytes = std::size_t{256} << 10;
  if (body.size() > kMostBytes) {
    co_return Refuse(413, "a pod to be tried has at most 256 KiB", parts);
  }
  const auto request = ReadPlaceRequest(body, parts.clock.WallTime());
  if (!request) co_return Refuse(400, ToString(request.error()), parts);
  using Answered = At<explain::DryRun>;
  const std::function<Answered(const cycle::Cycle&)> read =
      [&clock = parts.clock, request = *request](const cycle::Cycle& cycle) {
        return Answered{MomentOf(cycle, clock), cycle.Look([&](const explain::Scene& scene) {
                          return explain::TryToPlace(request.pod, request.claim, scene);
                        })};
      };
  const auto answer = co_await Ask<Answered>(parts.questions, parts.patience, read);
  if (!answer) co_return RefuseBusy(parts);
  co_return Json(200, boost::json::serialize(DryRunJson(answer->moment, answer->what)) + "\n");
}

boost::asio::awaitable<http::Reply> Handle(http::Request request, ApiParts parts) {
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (path == "/api/v1/place") {
    if (request.method != http::Method::kPost) co_return RefuseMethod("POST", parts);
    co_return co_await Place(std::move(request.body), parts);
  }
  if (!http::IsReading(request.method)) co_return RefuseMethod("GET, HEAD", parts);
  constexpr std::string_view kExplain = "/api/v1/explain/";
  if (path.starts_with(kExplain))
    co_return co_await ExplainPod(path.substr(kExplain.size()), parts);
  if (path == "/api/v1/gpus") co_return co_await Answer(parts, "GpuList", ReadGpus);
  if (path == "/api/v1/pods") co_return co_await Answer(parts, "PodList", ReadPods);
  if (path == "/api/v1/claims") co_return co_await Answer(parts, "ClaimList", ReadClaims);
  co_return Refuse(404, "there is nothing at this path", parts);
}

}  // namespace

Result<std::unique_ptr<http::Server>> StartApiServer(runtime::IoThreads& threads,
                                                     const std::string& address, std::uint16_t port,
                                                     const ApiParts& parts) {
  return http::Server::Start(
      threads, {.address = address, .port = port, .tls = std::nullopt},
      [parts](http::Request request) { return Handle(std::move(request), parts); });
}

}  // namespace gs::scheduler
