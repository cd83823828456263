#include "programs/check/verdict.h"

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <utility>

namespace gs::check {
namespace {

http::Response Text(int status, std::string body,
                    std::string_view type = "text/plain; charset=utf-8") {
  return {
      .status = status, .headers = {{"Content-Type", std::string(type)}}, .body = std::move(body)};
}

}  // namespace

Verdict::Verdict(std::string_view version)
    : mismatches_(
          registry_.AddGauges({.name = "gpu_check_mismatch",
                               .help = "1 while what the container sees is not what was decided",
                               .labels = {"aspect"}})),
      looks_(registry_.AddCounters(
          {.name = "gpu_check_looks_total", .help = "How often it was compared"})) {
  registry_.AddGauges({.name = "gpu_check_build_info", .help = "Always 1", .labels = {"version"}})
      .Set({version}, 1);
}

void Verdict::Set(std::vector<Mismatch> found) {
  for (const auto aspect : kAspects) mismatches_.Set({aspect}, 0);
  for (const auto& mismatch : found) mismatches_.Set({mismatch.aspect}, 1);
  looks_.Add({});
  const runtime::MutexLock lock(mutex_);
  found_ = std::move(found);
}

http::Response Verdict::Answer(const http::Request& request) const {
  if (!http::IsReading(request.method)) return Text(405, "only GET\n");
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (path == "/metrics") return Text(200, registry_.Print(), metrics::kContentType);
  if (path != "/health") return Text(404, "there are /health and /metrics\n");
  const runtime::MutexLock lock(mutex_);
  std::string sentences;
  for (const auto& mismatch : found_) sentences += mismatch.message + "\n";
  return found_.empty() ? Text(200, "ok\n") : Text(503, sentences);
}

Result<std::unique_ptr<http::Server>> Serve(runtime::IoThreads& threads,
                                            const config::Listen& listen, const Verdict& verdict) {
  return http::Server::Start(
      threads, {.address = listen.address, .port = listen.port, .tls = std::nullopt},
      [&verdict](http::Request request) -> boost::asio::awaitable<http::Reply> {
        co_return verdict.Answer(request);
      });
}

}  // namespace gs::check
