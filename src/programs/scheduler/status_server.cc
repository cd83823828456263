#include "programs/scheduler/status_server.h"

#include <utility>

#include "adapters/metrics/registry.h"

namespace gs::scheduler {
namespace {

http::Response Text(int status, std::string body) {
  return {.status = status,
          .headers = {{"Content-Type", "text/plain; charset=utf-8"}},
          .body = std::move(body)};
}

std::string PathOf(const http::Request& request) {
  return request.target.substr(0, request.target.find('?'));
}

http::Response Answer(const http::Request& request, const Status& status) {
  if (!http::IsReading(request.method)) return Text(405, "only GET\n");
  const std::string path = PathOf(request);
  if (path == "/health") return Text(200, "ok\n");
  if (path == "/ready") {
    const std::string why_not = status.WhyNotReady();
    return why_not.empty() ? Text(200, "ok\n") : Text(503, why_not + "\n");
  }
  return Text(404, "there are /health, /ready and /metrics\n");
}

}  // namespace

Result<std::unique_ptr<http::Server>> StartStatusServer(runtime::IoThreads& threads,
                                                        const Listen& listen, const Status& status,
                                                        MetricsText metrics) {
  return http::Server::Start(
      threads, {.address = listen.address, .port = listen.port, .tls = std::nullopt},
      [&status,
       metrics = std::move(metrics)](http::Request request) -> boost::asio::awaitable<http::Reply> {
        if (!http::IsReading(request.method) || PathOf(request) != "/metrics") {
          co_return Answer(request, status);
        }
        co_return http::Response{.headers = {{"Content-Type", std::string(metrics::kContentType)}},
                                 .body = co_await metrics()};
      });
}

}  // namespace gs::scheduler
