#include "tests/support/faults/watch_relay.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>
#include <utility>

namespace gs::testing {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
// How soon a late watch notices that it is cut.
constexpr auto kLookAgain = std::chrono::milliseconds(50);

}  // namespace

http::StreamOptions WatchRelay::Options() {
  http::StreamOptions options;
  options.stop = stop_.get_token();
  options.on_head = [self = shared_from_this()](const http::Response& head) {
    self->heads_.try_send(error_code(), http::Outcome(head));
  };
  return options;
}

WatchRelay::Piece WatchRelay::Arrived(std::string_view bytes) {
  return {.bytes = std::string(bytes), .arrived = std::chrono::steady_clock::now()};
}

http::OnChunkAsync WatchRelay::Sink() {
  return [self = shared_from_this()](std::string_view bytes) -> asio::awaitable<bool> {
    const auto [ec] = co_await self->pieces_.async_send(error_code(), Arrived(bytes), kTuple);
    co_return !ec;
  };
}

asio::awaitable<void> WatchRelay::Run(std::shared_ptr<WatchRelay> self,
                                      asio::awaitable<http::Outcome> stream) {
  http::Outcome end = co_await std::move(stream);
  const bool has_ended_well = std::holds_alternative<http::Response>(end);
  self->heads_.try_send(error_code(), std::move(end));  // nobody reads it where there was a head
  if (has_ended_well) co_await self->pieces_.async_send(error_code(), Arrived(""), kTuple);
  // What is late has still to be passed on, so only the reader may end it.
  if (has_ended_well && self->rules_.late > Duration(0)) co_return;
  self->Cut();
}

asio::awaitable<http::Outcome> WatchRelay::Head() {
  auto [ec, head] = co_await heads_.async_receive(kTuple);
  if (ec) co_return http::Unknown{Error(ErrorKind::kUnavailable, "cut")};
  co_return std::move(head);
}

asio::awaitable<void> WatchRelay::WaitFor(const Piece& piece) {
  if (rules_.late == Duration(0)) co_return;
  asio::steady_timer timer(co_await asio::this_coro::executor);
  const auto due = piece.arrived + rules_.late;
  for (auto now = std::chrono::steady_clock::now(); now < due;
       now = std::chrono::steady_clock::now()) {
    if (stop_.stop_requested()) throw std::runtime_error("cut");
    timer.expires_after(std::min<Duration>(due - now, kLookAgain));
    co_await timer.async_wait(asio::use_awaitable);
  }
}

asio::awaitable<void> WatchRelay::CopyTo(http::BodyWriter& writer) {
  std::size_t left = rules_.limit;
  while (true) {
    auto [ec, piece] = co_await pieces_.async_receive(kTuple);
    if (ec) throw std::runtime_error("cut");
    co_await WaitFor(piece);
    if (piece.bytes.empty()) co_return;
    const bool is_last = piece.bytes.size() >= left;
    if (is_last) piece.bytes.resize(left);
    left -= piece.bytes.size();
    if (!co_await writer.Write(std::move(piece.bytes))) co_return;
    if (is_last) throw std::runtime_error("cut at the limit");
  }
}

asio::awaitable<void> WatchRelay::WaitForCut() { co_await pieces_.async_receive(kTuple); }

void WatchRelay::Cut() {
  heads_.close();
  pieces_.close();
  pieces_.cancel();  // a piece that nobody will take
  stop_.request_stop();
}

}  // namespace gs::testing
