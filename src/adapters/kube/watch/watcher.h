// Watcher: keeps telling what there is of one kind, on a thread of its own, until it is destroyed.
//
// Everything is told in order and nothing is left out. While the sink works, nothing more is read,
// so a slow one slows the API server down and costs no memory; pages of a list are told and dropped
// one by one.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

#include "adapters/http/outcome.h"
#include "adapters/kube/api/api_client.h"
#include "adapters/kube/watch/kind_teller.h"
#include "adapters/kube/watch/watch_steps.h"
#include "adapters/kube/watch/watched_kind.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/mutex.h"
#include "base/error.h"
#include "base/time.h"
#include "core/model/event.h"

namespace gs::kube {

enum class WatcherRequest : std::uint8_t { kList, kWatch };

struct WatcherOptions {
  WatchTimes times;
  // API servers need longer for many small pages than for a few large ones.
  std::int32_t page_size = 2500;
  Duration list_timeout = std::chrono::seconds(60);  // for one page
  Duration watch_timeout = std::chrono::minutes(8);  // the server ends a watch after this long
  // API servers send a bookmark every minute or so; a connection that is silent for longer is dead.
  Duration idle_timeout = std::chrono::minutes(2);
  std::uint64_t seed = 0;  // for the waits after failures; different for every watcher
  // Hears of each complete list and each watch when it begins, on the watcher's thread.
  std::function<void(WatcherRequest)> began = [](WatcherRequest) {};
  // Hears, once, that the API server is behind what it said before: see WatchSteps. Nothing is told
  // after that. On the watcher's thread; nobody: it is a problem like others.
  std::function<void(const Error&)> gone_back;
};

class Watcher {
 public:
  // Called on the watcher's thread; may block, but must return for the watcher to end. Never empty.
  using Sink = std::function<void(std::vector<model::Event>)>;
  using ProblemSink = std::function<void(const Error&)>;

  // Begins at once. Client, clock and whatever the sinks refer to must outlive the watcher.
  Watcher(ApiClient& client, const runtime::Clock& clock, WatchedKind kind, WatcherOptions options,
          Sink sink, ProblemSink problem_sink);
  // Cancels what is running. Nothing is told once it has returned.
  ~Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  Watcher(Watcher&&) = delete;
  Watcher& operator=(Watcher&&) = delete;

  // Lists everything again, beginning now; ViewReached follows. From any thread, at once.
  void Refresh() GS_EXCLUDES(mutex_);

 private:
  void Run(const std::stop_token& stop);
  void Do(const ListStep& step, const std::stop_token& stop);
  void StreamList(const std::stop_token& stop);
  void Do(const WatchStep& step, const std::stop_token& stop);
  void Do(const VersionStep& step, const std::stop_token& stop);
  void Do(const DiscoverStep& step, const std::stop_token& stop);
  [[nodiscard]] http::Outcome Get(std::string_view path, const std::stop_token& stop);
  void Do(const WaitStep& step, const std::stop_token& stop);
  void Tell(Telling telling);
  // Whether somebody wanted a new list, and that this is taken care of.
  [[nodiscard]] bool TakeRefresh() GS_EXCLUDES(mutex_);
  // What ends the stream that begins now, besides the end of the thread. Nothing if a new list is
  // wanted instead.
  [[nodiscard]] std::optional<std::stop_source> BeginStream() GS_EXCLUDES(mutex_);

  ApiClient& client_;
  const runtime::Clock& clock_;
  const WatcherOptions options_;
  const Sink sink_;
  const ProblemSink problem_sink_;
  runtime::Mutex mutex_;
  bool is_refresh_wanted_ GS_GUARDED_BY(mutex_) = false;
  std::stop_source stream_ GS_GUARDED_BY(mutex_);  // of the stream that is running

  WatchSteps steps_;     // used by the thread only
  std::jthread thread_;  // last: it uses all the others, and is stopped and joined first
};

}  // namespace gs::kube
