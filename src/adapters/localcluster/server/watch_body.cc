#include "adapters/localcluster/server/watch_body.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <random>

namespace gs::localcluster {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
constexpr auto kBookmarkEvery = seconds(60);
// The last bookmark comes a little before the end, so that the client can go on from there.
constexpr auto kBookmarkBeforeEnd = seconds(2);

// A timer that can be rung from any thread: the watch sleeps on it.
class Bell : public std::enable_shared_from_this<Bell> {
 public:
  explicit Bell(const asio::any_io_executor& executor) : timer_(executor) {}

  // From any thread. Many rings before the sleeper looks are one.
  void Ring() {
    if (is_rung_.exchange(true)) return;
    asio::post(timer_.get_executor(), [self = shared_from_this()] { self->timer_.cancel(); });
  }
  // On the executor: what is rung from now on ends the next sleep.
  void Reset() { is_rung_ = false; }
  asio::awaitable<void> SleepUntil(Clock::time_point end) {
    if (is_rung_) co_return;
    timer_.expires_at(end);
    boost::system::error_code rung;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, rung));
  }

 private:
  asio::steady_timer timer_;
  std::atomic<bool> is_rung_ = false;
};

// Without a wish of the client: half an hour to an hour, so that not all come back at once.
seconds TimeoutOf(const ListRequest& request) {
  constexpr int kLeast = 1800;
  if (request.timeout_seconds && *request.timeout_seconds > 0) {
    return seconds(std::min<std::int64_t>(*request.timeout_seconds, 2L * kLeast));
  }
  thread_local std::minstd_rand random{std::random_device()()};
  return seconds(kLeast + static_cast<int>(random() % kLeast));
}

Clock::time_point NextBookmark(Clock::time_point now, Clock::time_point end) {
  const auto last = end - kBookmarkBeforeEnd;
  return now < last ? std::min(now + kBookmarkEvery, last) : end;
}

asio::awaitable<void> Run(Store& store, std::shared_ptr<WatchStream> watch,
                          http::BodyWriter& writer) {
  const auto bell = std::make_shared<Bell>(co_await asio::this_coro::executor);
  const auto handle = store.OnChange(watch->resource(), [bell] { bell->Ring(); });
  const std::stop_callback on_stop(writer.stop(), [bell] { bell->Ring(); });
  const auto end = Clock::now() + TimeoutOf(watch->request());
  auto bookmark_at = NextBookmark(Clock::now(), end);
  while (!writer.stop().stop_requested()) {
    bell->Reset();
    std::string frames = watch->Pull(kPieceBytes);
    const bool is_quiet = frames.empty();
    if (!is_quiet && !co_await writer.Write(std::move(frames))) co_return;
    if (watch->has_ended()) co_return;
    const auto now = Clock::now();
    if (now >= bookmark_at) {
      bookmark_at = NextBookmark(now, end);
      if (!co_await writer.Write(watch->Bookmark())) co_return;
    }
    if (now >= end) co_return;
    if (is_quiet) co_await bell->SleepUntil(std::min(bookmark_at, end));
  }
}

}  // namespace

http::StreamBody WatchBody(Store& store, std::shared_ptr<WatchStream> watch) {
  return [&store, watch = std::move(watch)](http::BodyWriter& writer) {
    return Run(store, watch, writer);
  };
}

}  // namespace gs::localcluster
