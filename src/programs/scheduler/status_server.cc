#include "programs/scheduler/status_server.h"

namespace gs::scheduler {
namespace {

http::Response Text(int status, std::string body) {
  return {.status = status,
          .headers = {{"Content-Type", "text/plain; charset=utf-8"}},
          .body = std::move(body)};
}

http::Response Answer(const http::Request& request, const Status& status) {
  if (!http::IsReading(request.method)) return Text(405, "only GET\n");
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (path == "/health") return Text(200, "ok\n");
  if (path == "/ready") {
    return status.is_synced ? Text(200, "ok\n") : Text(503, "the view is not complete yet\n");
  }
  return Text(404, "there are /health and /ready\n");
}

}  // namespace

Result<std::unique_ptr<http::Server>> StartStatusServer(runtime::IoThreads& threads,
                                                        const Listen& listen,
                                                        const Status& status) {
  return http::Server::Start(
      threads, {.address = listen.address, .port = listen.port, .tls = std::nullopt},
      [&status](http::Request request) -> boost::asio::awaitable<http::Reply> {
        co_return Answer(request, status);
      });
}

}  // namespace gs::scheduler
