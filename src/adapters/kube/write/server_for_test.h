// An API server for tests: it answers as it is told, remembers what it was asked, and has a client.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/http/server.h"
#include "adapters/kube/api/api_client.h"
#include "adapters/runtime/clock.h"
#include "adapters/runtime/io_threads.h"
#include "adapters/runtime/mutex.h"

namespace gs::kube {

class ServerForTest {
 public:
  // Nothing: the request is taken and never answered. Called on I/O threads, one call at a time.
  using Answer = std::function<std::optional<http::Response>(const http::Request&)>;

  explicit ServerForTest(Answer answer) : answer_(std::move(answer)) {
    server_ = *http::Server::Start(
        threads_, {}, [this](http::Request request) { return Handle(this, std::move(request)); });
    ConnectionSettings settings;
    settings.server = url();
    client_ = *ApiClient::Create(threads_, settings, std::make_unique<FixedLogin>(Login{}), clock_);
  }

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(server_->port());
  }
  [[nodiscard]] ApiClient& client() { return *client_; }
  [[nodiscard]] runtime::ManualClock& clock() { return clock_; }

  // The requests so far, once there are that many; fewer after ten seconds.
  [[nodiscard]] std::vector<http::Request> Await(std::size_t count) GS_EXCLUDES(mutex_) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const runtime::MutexLock lock(mutex_);
    while (requests_.size() < count && changed_.WaitUntil(mutex_, deadline)) {
    }
    return requests_;
  }

 private:
  // A function, since a coroutine must own what it is given.
  static boost::asio::awaitable<http::Reply> Handle(ServerForTest* self, http::Request request) {
    const auto answer = self->Take(request);
    if (answer) co_return *answer;
    boost::asio::steady_timer never(co_await boost::asio::this_coro::executor);
    never.expires_at(boost::asio::steady_timer::time_point::max());
    co_await never.async_wait(boost::asio::use_awaitable);
    co_return http::Response{.status = 500};
  }

  std::optional<http::Response> Take(const http::Request& request) GS_EXCLUDES(mutex_) {
    const runtime::MutexLock lock(mutex_);
    requests_.push_back(request);
    changed_.NotifyAll();
    return answer_(request);
  }

  Answer answer_;
  runtime::Mutex mutex_;
  runtime::Condition changed_;
  std::vector<http::Request> requests_ GS_GUARDED_BY(mutex_);

  runtime::ManualClock clock_;
  runtime::IoThreads threads_{2};  // before what uses them, after what they use
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<ApiClient> client_;
};

}  // namespace gs::kube
