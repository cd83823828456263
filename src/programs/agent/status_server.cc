#include "programs/agent/status_server.h"

#include <boost/asio/awaitable.hpp>
#include <string>
#include <utility>

namespace gs::agent {
namespace {

http::Response Text(int status, std::string body,
                    std::string_view type = "text/plain; charset=utf-8") {
  return {
      .status = status, .headers = {{"Content-Type", std::string(type)}}, .body = std::move(body)};
}

http::Response Answer(const http::Request& request, const AgentMetrics& metrics) {
  if (!http::IsReading(request.method)) return Text(405, "only GET\n");
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (path == "/health") return Text(200, "ok\n");
  if (path == "/metrics") return Text(200, metrics.Print(), metrics::kContentType);
  return Text(404, "there are /health and /metrics\n");
}

}  // namespace

Result<std::unique_ptr<http::Server>> StartStatusServer(runtime::IoThreads& threads,
                                                        const config::Listen& listen,
                                                        const AgentMetrics& metrics) {
  return http::Server::Start(
      threads, {.address = listen.address, .port = listen.port, .tls = std::nullopt},
      [&metrics](http::Request request) -> boost::asio::awaitable<http::Reply> {
        co_return Answer(request, metrics);
      });
}

}  // namespace gs::agent
