#include "adapters/kube/watch/watcher.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include "adapters/kube/api/list_stream.h"
#include "adapters/kube/api/status_answer.h"
#include "adapters/kube/api/watch_stream.h"
#include "adapters/kube/watch/watch_request.h"

namespace gs::kube {
namespace {

bool IsSuccess(int status) { return status >= 200 && status <= 299; }

Refusal RefusalOf(const http::Response& response) {
  const std::string* retry_after = response.headers.Find("Retry-After");
  // A read is no write, but what its answer says and asks for is read alike.
  WriteAnswer answer = ClassifyWrite({.code = response.status,
                                      .retry_after = retry_after ? *retry_after : "",
                                      .body = response.body},
                                     WriteVerb::kOther);
  return {.code = response.status,
          .reason = std::move(answer.reason),
          .retry_after = answer.retry_after};
}

// Nothing, if the server answered well.
std::optional<Refusal> RefusalOf(const http::Outcome& outcome) {
  if (const Error* error = http::ErrorOf(outcome)) {
    return Refusal{.code = 0, .reason = ToString(*error), .retry_after = {}};
  }
  const auto& response = std::get<http::Response>(outcome);
  if (IsSuccess(response.status)) return std::nullopt;
  return RefusalOf(response);
}

void WaitFor(Duration duration, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  (void)never.wait_for(lock, stop, duration, [] { return false; });
}

}  // namespace

Watcher::Watcher(ApiClient& client, const runtime::Clock& clock, WatchedKind kind,
                 WatcherOptions options, Sink sink, ProblemSink problem_sink)
    : client_(client),
      clock_(clock),
      options_(std::move(options)),
      sink_(std::move(sink)),
      problem_sink_(std::move(problem_sink)),
      steps_(std::move(kind), options_.times, options_.seed),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void Watcher::Refresh() {
  std::stop_source running;
  {
    const runtime::MutexLock lock(mutex_);
    is_refresh_wanted_ = true;
    running = stream_;
  }
  // Outside the lock: what it stops may take locks of its own.
  running.request_stop();
}

bool Watcher::TakeRefresh() {
  const runtime::MutexLock lock(mutex_);
  return std::exchange(is_refresh_wanted_, false);
}

std::optional<std::stop_source> Watcher::BeginStream() {
  const runtime::MutexLock lock(mutex_);
  if (is_refresh_wanted_) return std::nullopt;
  stream_ = std::stop_source();
  return stream_;
}

void Watcher::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (TakeRefresh()) steps_.ListAgain();
    const Step next = steps_.Next(clock_.Monotonic());
    std::visit([&](const auto& step) { Do(step, stop); }, next);
  }
}

void Watcher::Do(const ListStep& step, const std::stop_token& stop) {
  if (step.continue_token.empty()) options_.began(WatcherRequest::kList);
  if (steps_.kind().is_streamed) return StreamList(stop);
  const http::Outcome outcome =
      client_.Send(ListRequest(steps_.kind().collection, options_.page_size, step.continue_token),
                   {.timeout = options_.list_timeout, .stop = stop});
  if (stop.stop_requested()) return;
  Telling telling;
  if (const auto refusal = RefusalOf(outcome)) {
    steps_.ListRefused(*refusal, clock_.Monotonic(), telling);
  } else {
    steps_.PageArrived(std::get<http::Response>(outcome).body, clock_.Monotonic(), telling);
  }
  Tell(std::move(telling));
}

void Watcher::StreamList(const std::stop_token& stop) {
  ListStream list;
  Result<void> taken;
  const auto take = [&](std::string_view bytes) {
    Telling telling;
    taken = list.Append(bytes, [&](std::string_view json) {
      return steps_.ItemArrived(json, list.version(), telling);
    });
    Tell(std::move(telling));
    return taken.ok();
  };
  const http::Outcome outcome = client_.Stream(
      ListRequest(steps_.kind().collection),
      {.head_timeout = options_.list_timeout, .idle_timeout = options_.list_timeout, .stop = stop},
      take);
  if (stop.stop_requested()) return;
  Telling telling;
  if (const auto refusal = RefusalOf(outcome); refusal && taken) {
    steps_.ListRefused(*refusal, clock_.Monotonic(), telling);
  } else {
    steps_.PageArrived(taken ? list.Finish() : taken.error(), clock_.Monotonic(), telling);
  }
  Tell(std::move(telling));
}

void Watcher::Do(const WatchStep& step, const std::stop_token& stop) {
  auto stream = BeginStream();
  if (!stream) return;
  options_.began(WatcherRequest::kWatch);
  const std::stop_callback end_with_thread(stop, [&stream] { stream->request_stop(); });
  WatchStream watch;
  const auto take = [&](std::string_view bytes) {
    Telling telling;
    const auto goes_on = watch.Append(
        bytes, [&](const WatchFrame& frame) { return steps_.FrameArrived(frame, telling); });
    if (!goes_on) steps_.StreamLost(goes_on.error());
    steps_.BatchEnded(telling);
    Tell(std::move(telling));
    return goes_on.ok() && *goes_on;
  };
  const http::Outcome outcome =
      client_.Stream(WatchRequest(steps_.kind().collection, step.from, options_.watch_timeout),
                     {.head_timeout = options_.list_timeout,
                      .idle_timeout = options_.idle_timeout,
                      .stop = stream->get_token()},
                     take);
  if (stream->stop_requested()) return;
  Telling telling;
  steps_.WatchEnded(RefusalOf(outcome), clock_.Monotonic(), telling);
  Tell(std::move(telling));
}

void Watcher::Do(const VersionStep& /*step*/, const std::stop_token& stop) {
  const http::Outcome outcome = client_.Send(ListRequest(steps_.kind().collection, 1, ""),
                                             {.timeout = options_.list_timeout, .stop = stop});
  if (stop.stop_requested()) return;
  Telling telling;
  if (const auto refusal = RefusalOf(outcome)) {
    steps_.VersionRefused(*refusal, clock_.Monotonic(), telling);
  } else {
    steps_.VersionArrived(std::get<http::Response>(outcome).body, clock_.Monotonic(), telling);
  }
  Tell(std::move(telling));
}

http::Outcome Watcher::Get(std::string_view path, const std::stop_token& stop) {
  http::Request request{.method = http::Method::kGet,
                        .target = std::string(path),
                        .headers = {{"Accept", "application/json"}},
                        .body = ""};
  return client_.Send(std::move(request), {.timeout = options_.list_timeout, .stop = stop});
}

void Watcher::Do(const DiscoverStep& /*step*/, const std::stop_token& stop) {
  const Resource& resource = steps_.kind().collection.resource;
  Serving serving = Serving::kUnknown;
  const http::Outcome in_version = Get(GroupVersionPath(resource), stop);
  if (const auto* answer = std::get_if<http::Response>(&in_version)) {
    serving = ServingInVersion(answer->status, answer->body, resource);
  }
  if (serving == Serving::kUnknown) {
    const http::Outcome in_groups = Get(kGroupsPath, stop);
    if (const auto* answer = std::get_if<http::Response>(&in_groups)) {
      serving = ServingInGroups(answer->status, answer->body, resource);
    }
  }
  if (stop.stop_requested()) return;
  Telling telling;
  steps_.Discovered(serving, clock_.Monotonic(), telling);
  Tell(std::move(telling));
}

void Watcher::Do(const WaitStep& step, const std::stop_token& stop) {
  WaitFor(step.until - clock_.Monotonic(), stop);
}

void Watcher::Tell(Telling telling) {
  for (const Error& problem : telling.problems) problem_sink_(problem);
  if (!telling.events.empty()) sink_(std::move(telling.events));
  if (telling.gone_back) {
    options_.gone_back ? options_.gone_back(*telling.gone_back) : problem_sink_(*telling.gone_back);
  }
}

}  // namespace gs::kube
