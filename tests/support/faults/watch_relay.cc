#include "tests/support/faults/watch_relay.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>
#include <utility>

namespace gs::testing {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

}  // namespace

http::StreamOptions WatchRelay::Options() {
  http::StreamOptions options;
  options.stop = stop_.get_token();
  options.on_head = [self = shared_from_this()](const http::Response& head) {
    self->heads_.try_send(error_code(), http::Outcome(head));
  };
  return options;
}

http::OnChunkAsync WatchRelay::Sink() {
  return [self = shared_from_this()](std::string_view bytes) -> asio::awaitable<bool> {
    const auto [ec] = co_await self->pieces_.async_send(error_code(), std::string(bytes), kTuple);
    co_return !ec;
  };
}

asio::awaitable<void> WatchRelay::Run(std::shared_ptr<WatchRelay> self,
                                      asio::awaitable<http::Outcome> stream) {
  http::Outcome end = co_await std::move(stream);
  const bool has_ended_well = std::holds_alternative<http::Response>(end);
  self->heads_.try_send(error_code(), std::move(end));  // nobody reads it where there was a head
  if (has_ended_well) co_await self->pieces_.async_send(error_code(), std::string(), kTuple);
  self->Cut();
}

asio::awaitable<http::Outcome> WatchRelay::Head() {
  auto [ec, head] = co_await heads_.async_receive(kTuple);
  if (ec) co_return http::Unknown{Error(ErrorKind::kUnavailable, "cut")};
  co_return std::move(head);
}

asio::awaitable<void> WatchRelay::CopyTo(http::BodyWriter& writer, std::size_t limit) {
  while (true) {
    auto [ec, piece] = co_await pieces_.async_receive(kTuple);
    if (ec) throw std::runtime_error("cut");
    if (piece.empty()) co_return;
    const bool is_last = piece.size() >= limit;
    if (is_last) piece.resize(limit);
    limit -= piece.size();
    if (!co_await writer.Write(std::move(piece))) co_return;
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
