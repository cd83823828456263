#include "programs/scheduler/observe/api_server.h"

#include <boost/json/serialize.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/answers/api_json.h"
#include "adapters/answers/explain_json.h"
#include "adapters/answers/place_request.h"
#include "adapters/answers/pod_explanation.h"
#include "base/text.h"
#include "programs/scheduler/dashboard/page.h"
#include "programs/scheduler/observe/fleet_feed.h"

namespace gs::scheduler {
namespace {

using answers::ApiMoment;
using answers::PodExplanation;

http::Response Json(int status, std::string body) {
  return {.status = status,
          .headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
          .body = std::move(body)};
}

http::Response Refuse(int status, std::string_view message, const ApiParts& parts) {
  http::Response response =
      Json(status, answers::ApiRefusal(status, message, parts.clock.WallTime()));
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
  co_return Json(
      200,
      boost::json::serialize(answers::ApiList(kind, picture->moment, picture->reports)) + "\n");
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

struct NodeDetail {
  explain::NodeReport report;
  model::LinkMatrix links;
};

std::optional<NodeDetail> ReadNode(const cycle::Cycle& cycle, const NodeName& name) {
  const cache::NodeView* view = cycle.cache().FindNode(name);
  if (view == nullptr) return std::nullopt;
  return NodeDetail{.report = explain::ReportNode(cycle.cache(), *view),
                    .links = view->node.machine ? view->node.machine->links : model::LinkMatrix()};
}

boost::asio::awaitable<http::Reply> ShowNode(std::string name, ApiParts parts) {
  using Answered = At<std::optional<NodeDetail>>;
  const std::function<Answered(const cycle::Cycle&)> read =
      [&clock = parts.clock, node = NodeName(name)](const cycle::Cycle& cycle) {
        return Answered{MomentOf(cycle, clock), ReadNode(cycle, node)};
      };
  const auto answer = co_await Ask<Answered>(parts.questions, parts.patience, read);
  if (!answer) co_return RefuseBusy(parts);
  if (!answer->what) co_return Refuse(404, "no node of this name is seen: " + name, parts);
  const NodeDetail& detail = *answer->what;
  co_return Json(
      200, boost::json::serialize(answers::NodeJson(answer->moment, detail.report, detail.links)) +
               "\n");
}

boost::asio::awaitable<http::Reply> ShowFleet(std::shared_ptr<FleetFeed> feed, ApiParts parts) {
  const auto fleet = co_await feed->Take();
  if (!fleet) co_return RefuseBusy(parts);
  co_return Json(200, WholeFleet(*fleet) + "\n");
}

http::Reply WatchFleet(FleetFeed& feed, const ApiParts& parts) {
  auto reply = feed.Watch();
  if (!reply) return Refuse(503, "too many watch; ask again", parts);
  return *std::move(reply);
}

// Nothing from elsewhere is loaded, and nobody else may show it in a frame of his.
http::Response Page(const PageFile& file) {
  return {.status = 200,
          .headers = {{"Content-Type", std::string(file.content_type)},
                      {"Cache-Control", "no-cache"},
                      {"Content-Security-Policy",
                       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
                       "connect-src 'self'; base-uri 'none'; form-action 'none'; "
                       "frame-ancestors 'none'; require-trusted-types-for 'script'; "
                       "trusted-types 'none'"},
                      {"Cross-Origin-Resource-Policy", "same-origin"},
                      {"Referrer-Policy", "no-referrer"},
                      {"X-Content-Type-Options", "nosniff"}},
          .body = std::string(file.text)};
}

boost::asio::awaitable<http::Reply> AnswerExplain(std::string path, ApiParts parts) {
  const std::size_t slash = path.find('/');
  if (slash == std::string::npos || path.find('/', slash + 1) != std::string::npos) {
    co_return Refuse(404, "the path is /api/v1/explain/NAMESPACE/POD", parts);
  }
  using Answered = At<std::optional<PodExplanation>>;
  const std::function<Answered(const cycle::Cycle&)> read =
      [&clock = parts.clock, ns = Namespace(path.substr(0, slash)),
       name = PodName(path.substr(slash + 1))](const cycle::Cycle& cycle) {
        return Answered{MomentOf(cycle, clock), answers::ExplainPod(cycle, ns, name)};
      };
  const auto answer = co_await Ask<Answered>(parts.questions, parts.patience, read);
  if (!answer) co_return RefuseBusy(parts);
  if (!answer->what) {
    co_return Refuse(404, "this scheduler knows no such pod that has not ended: " + path, parts);
  }
  co_return Json(
      200, boost::json::serialize(answers::ExplanationJson(answer->moment, *answer->what)) + "\n");
}

boost::asio::awaitable<http::Reply> Place(std::string body, ApiParts parts) {
  constexpr std::size_t kMostBytes = std::size_t{256} << 10;
  if (body.size() > kMostBytes) {
    co_return Refuse(413, "a pod to be tried has at most 256 KiB", parts);
  }
  const auto request = answers::ReadPlaceRequest(body, parts.clock.WallTime());
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
  co_return Json(200,
                 boost::json::serialize(answers::DryRunJson(answer->moment, answer->what)) + "\n");
}

boost::asio::awaitable<http::Reply> Handle(http::Request request, ApiParts parts,
                                           std::shared_ptr<FleetFeed> feed) {
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (path == "/api/v1/place") {
    if (request.method != http::Method::kPost) co_return RefuseMethod("POST", parts);
    co_return co_await Place(std::move(request.body), parts);
  }
  if (!http::IsReading(request.method)) co_return RefuseMethod("GET, HEAD", parts);
  if (const auto file = FindPageFile(path)) co_return Page(*file);
  constexpr std::string_view kExplain = "/api/v1/explain/";
  if (path.starts_with(kExplain))
    co_return co_await AnswerExplain(path.substr(kExplain.size()), parts);
  constexpr std::string_view kNode = "/api/v1/gpus/";
  if (path.starts_with(kNode)) co_return co_await ShowNode(path.substr(kNode.size()), parts);
  if (path == "/api/v1/fleet") co_return co_await ShowFleet(std::move(feed), parts);
  if (path == "/api/v1/fleet/stream") co_return WatchFleet(*feed, parts);
  if (path == "/api/v1/gpus") co_return co_await Answer(parts, "GpuList", ReadGpus);
  if (path == "/api/v1/pods") co_return co_await Answer(parts, "PodList", ReadPods);
  if (path == "/api/v1/claims") co_return co_await Answer(parts, "ClaimList", ReadClaims);
  co_return Refuse(404, "there is nothing at this path", parts);
}

}  // namespace

Result<std::unique_ptr<http::Server>> StartApiServer(runtime::IoThreads& threads,
                                                     const std::string& address, std::uint16_t port,
                                                     const ApiParts& parts) {
  const auto feed = std::make_shared<FleetFeed>(FleetFeedParts{.questions = parts.questions,
                                                               .placeable = parts.placeable,
                                                               .clock = parts.clock,
                                                               .patience = parts.patience,
                                                               .period = parts.fleet_period});
  return http::Server::Start(
      threads, {.address = address, .port = port, .tls = std::nullopt},
      [parts, feed](http::Request request) { return Handle(std::move(request), parts, feed); });
}

}  // namespace gs::scheduler
