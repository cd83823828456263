#include "programs/scheduler/observe/api_server.h"

#include <boost/json/serialize.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "programs/scheduler/observe/api_json.h"

namespace gs::scheduler {
namespace {

http::Response Json(int status, std::string body) {
  return {.status = status,
          .headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
          .body = std::move(body)};
}

http::Response Refuse(int status, std::string_view message, const ApiParts& parts) {
  http::Response response = Json(status, ApiRefusal(status, message, parts.clock.WallTime()));
  if (status == 405) response.headers.Add("Allow", "GET, HEAD");
  if (status == 503) response.headers.Add("Retry-After", "1");
  return response;
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
        return Picture<Report>{{.time = clock.WallTime(),
                                .is_leading = cycle.is_deciding(),
                                .is_synced = cycle.is_synced()},
                               read(cycle)};
      };
  const auto picture = co_await Ask<Picture<Report>>(parts.questions, parts.patience, take);
  if (!picture) {
    co_return Refuse(503, "the scheduler is too busy to answer; ask again", parts);
  }
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

boost::asio::awaitable<http::Reply> Handle(http::Request request, ApiParts parts) {
  if (!http::IsReading(request.method)) {
    co_return Refuse(405, "this is to be read only: use GET", parts);
  }
  const std::string path = request.target.substr(0, request.target.find('?'));
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
