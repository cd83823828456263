#include "adapters/localcluster/runner/log_reply.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/localcluster/objects/metadata.h"
#include "adapters/localcluster/runner/named_container.h"
#include "adapters/localcluster/store/status.h"
#include "base/text.h"

namespace gs::localcluster {
namespace {

namespace asio = boost::asio;

http::Reply Refused(const Status& status) {
  return http::Response{.status = status.code,
                        .headers = {{"Content-Type", "application/json"}},
                        .body = PrintStatus(status)};
}

struct Wanted {
  ContainerName name;
  LogRequest lines;
  ContainerOutputs::Run run = ContainerOutputs::Run::kLatest;
};

Answer<Wanted> Read(const LogQuery& query, const Json& pod, TimePoint now) {
  auto container = ContainerOf(pod, query.container);
  if (!container) return container.status();
  Wanted wanted{.name = {std::string(NamespaceOf(pod)), std::string(NameOf(pod)), *container}};
  wanted.lines = {.tail_lines = query.tail_lines, .has_timestamps = query.has_timestamps};
  if (query.since_seconds) {
    wanted.lines.since = now - std::chrono::seconds(*query.since_seconds);
  } else if (const auto since = ParseTime(query.since_time); since) {
    wanted.lines.since = *since;
  }
  if (query.is_previous) wanted.run = ContainerOutputs::Run::kPrevious;
  return wanted;
}

Status NoLog(const Wanted& wanted, const Json& pod) {
  const std::string in_pod =
      "container \"" + wanted.name.container + "\" in pod \"" + wanted.name.pod + "\"";
  if (wanted.run == ContainerOutputs::Run::kPrevious) {
    return BadRequest("previous terminated " + in_pod + " not found");
  }
  std::string reason = "ContainerCreating";
  for (const auto* list : {"containerStatuses", "initContainerStatuses"}) {
    for (const Json& each : Items(pod, {"status", list})) {
      if (Text(each, {"name"}) != wanted.name.container) continue;
      reason = Text(each, {"state", "waiting", "reason"}, reason);
    }
  }
  return BadRequest(in_pod + " is waiting to start: " + reason);
}

// A timer that lines ring.
class Bell : public std::enable_shared_from_this<Bell> {
 public:
  explicit Bell(const asio::any_io_executor& executor) : timer_(executor) {}

  void Ring() {
    if (is_rung_.exchange(true)) return;
    asio::post(timer_.get_executor(), [self = shared_from_this()] { self->timer_.cancel(); });
  }
  void Reset() { is_rung_ = false; }
  asio::awaitable<void> Sleep() {
    if (is_rung_) co_return;
    timer_.expires_at(asio::steady_timer::time_point::max());
    boost::system::error_code rung;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, rung));
  }

 private:
  asio::steady_timer timer_;
  std::atomic<bool> is_rung_ = false;
};

std::string Print(const ContainerLog::Page& page, std::uint64_t first, const LogRequest& lines) {
  std::string text;
  for (const auto& line : page.lines) {
    if (line.number >= first) text += PrintLine(line, lines);
  }
  return text;
}

asio::awaitable<void> Follow(std::shared_ptr<ContainerLog> log, LogRequest lines,
                             http::BodyWriter& writer) {
  const auto bell = std::make_shared<Bell>(co_await asio::this_coro::executor);
  const auto handle = log->OnChange([bell] { bell->Ring(); });
  const std::stop_callback on_stop(writer.stop(), [bell] { bell->Ring(); });
  std::uint64_t next = FirstLine(log->Read(0), lines);
  while (!writer.stop().stop_requested()) {
    bell->Reset();
    const ContainerLog::Page page = log->Read(next);
    std::string text = Print(page, next, lines);
    next = page.next;
    if (!text.empty() && !co_await writer.Write(std::move(text))) co_return;
    if (page.is_closed) co_return;
    co_await bell->Sleep();
  }
}

}  // namespace

http::Reply AnswerLog(const Json& pod, const LogQuery& query, const ContainerOutputs& outputs,
                      TimePoint now) {
  const auto wanted = Read(query, pod, now);
  if (!wanted) return Refused(wanted.status());
  // Nobody can be asked about a pod that no node has.
  if (Text(pod, {"spec", "nodeName"}).empty()) return http::Response{.status = 204};
  const auto log = outputs.Log(wanted->name, wanted->run);
  if (log == nullptr) return Refused(NoLog(*wanted, pod));
  http::Response head{.status = 200, .headers = {{"Content-Type", "text/plain"}}, .body = {}};
  if (query.is_followed && !query.is_previous) {
    return {std::move(head), [log = outputs.Follow(wanted->name), lines = wanted->lines](
                                 http::BodyWriter& writer) { return Follow(log, lines, writer); }};
  }
  const auto page = log->Read(0);
  head.body = Print(page, FirstLine(page, wanted->lines), wanted->lines);
  if (query.limit_bytes && *query.limit_bytes >= 0) {
    head.body.resize(std::min(head.body.size(), static_cast<std::size_t>(*query.limit_bytes)));
  }
  return head;
}

}  // namespace gs::localcluster
