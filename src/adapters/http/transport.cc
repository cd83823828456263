#include "adapters/http/transport.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>

namespace gs::http {
namespace {

namespace asio = boost::asio;

constexpr auto kGoodbyeTime = std::chrono::seconds(1);
constexpr std::size_t kReadBytes = std::size_t{16} << 10;

class PlainTransport final : public Transport {
 public:
  using Transport::Transport;

  asio::awaitable<std::string> Handshake() override { co_return ""; }

  asio::awaitable<error_code> ReadSome(std::string& buffer) override {
    const std::size_t before = buffer.size();
    buffer.resize(before + kReadBytes);
    error_code ec;
    const std::size_t n =
        co_await socket().async_read_some(asio::buffer(buffer.data() + before, kReadBytes),
                                          asio::redirect_error(asio::use_awaitable, ec));
    buffer.resize(before + n);
    co_return ec;
  }

  asio::awaitable<Written> Write(std::string_view bytes) override {
    Written written;
    const std::size_t n =
        co_await asio::async_write(socket(), asio::buffer(bytes.data(), bytes.size()),
                                   asio::redirect_error(asio::use_awaitable, written.error));
    written.may_have_left = n > 0;
    co_return written;
  }

  void ReadSomeThen(std::span<char> room, OnRead then) override {
    socket().async_read_some(asio::buffer(room.data(), room.size()), std::move(then));
  }

  void WriteThen(std::string_view bytes, OnWritten then) override {
    asio::async_write(
        socket(), asio::buffer(bytes.data(), bytes.size()),
        [then = std::move(then)](const error_code& ec, std::size_t /*size*/) { then(ec); });
  }

 protected:
  asio::awaitable<void> SayGoodbye() override { co_return; }
};

}  // namespace

std::shared_ptr<Transport> MakePlain(asio::ip::tcp::socket socket) {
  return std::make_shared<PlainTransport>(std::move(socket));
}

void Transport::SetDeadline(Deadline deadline) {
  timer_.expires_at(deadline);  // cancels the wait that is running
  if (deadline == Deadline::max()) return;
  timer_.async_wait([weak = weak_from_this(), deadline](const error_code& ec) {
    const auto self = weak.lock();
    // A wait that ended just before it was replaced still gets here.
    if (ec || !self || self->timer_.expiry() != deadline || !self->is_open()) return;
    self->has_timed_out_ = true;
    self->Close();
  });
}

void Transport::Close() {
  error_code ignored;
  timer_.cancel();
  socket_.close(ignored);
}

bool Transport::IsQuiet() {
  if (!is_open()) return false;
  char byte = 0;
  const auto n = recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

bool Transport::HasPeerClosed() {
  if (!is_open()) return true;
  pollfd look{.fd = socket_.native_handle(), .events = POLLRDHUP, .revents = 0};
  return poll(&look, 1, 0) > 0;
}

asio::awaitable<void> Transport::Finish(Farewell farewell) {
  const auto self = shared_from_this();
  SetDeadline(std::chrono::steady_clock::now() + kGoodbyeTime);
  if (is_open()) co_await SayGoodbye();
  error_code ec;
  if (is_open()) socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ec);
  std::array<char, 4096> ignored{};
  while (farewell == Farewell::kPatient && !ec && is_open()) {
    co_await socket_.async_read_some(asio::buffer(ignored),
                                     asio::redirect_error(asio::use_awaitable, ec));
  }
  Close();
}

}  // namespace gs::http
