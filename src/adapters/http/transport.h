// Transport: one TCP connection, plain or with TLS, with a deadline that closes it. Inside this
// folder only.
//
// Thread rule: everything happens on the executor of the socket, a strand.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "adapters/http/message.h"
#include "adapters/http/tls_context.h"

namespace gs::http {

using Deadline = std::chrono::steady_clock::time_point;
using boost::system::error_code;

struct Written {
  error_code error;
  bool may_have_left = false;  // a byte of ours may be on its way
};

enum class Farewell : std::uint8_t {
  kShort,
  // Waits a moment for the peer to close first: closing with unread bytes would make the system
  // throw our last answer away.
  kPatient,
};

class Transport : public std::enable_shared_from_this<Transport> {
 public:
  explicit Transport(boost::asio::ip::tcp::socket socket)
      : socket_(std::move(socket)), timer_(socket_.get_executor()) {}
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  Transport(Transport&&) = delete;
  Transport& operator=(Transport&&) = delete;

  // Why it failed, "" if it did not.
  virtual boost::asio::awaitable<std::string> Handshake() = 0;
  // Appends what arrives, at least one byte unless there is an error. Costs nothing while waiting.
  virtual boost::asio::awaitable<error_code> ReadSome(std::string& buffer) = 0;
  virtual boost::asio::awaitable<Written> Write(std::string_view bytes) = 0;
  // The same without a coroutine, for what happens all the time. `then` is called later, never from
  // within; the bytes must live until then.
  using OnRead = std::function<void(const error_code&, std::size_t)>;
  using OnWritten = std::function<void(const error_code&)>;
  virtual void ReadSomeThen(std::span<char> room, OnRead then) = 0;
  virtual void WriteThen(std::string_view bytes, OnWritten then) = 0;
  // What both sides have agreed on. Requires: the handshake is done.
  [[nodiscard]] virtual bool speaks_http2() const { return false; }
  // By its certificate, if that was verified. Requires: the handshake is done.
  [[nodiscard]] virtual Peer peer() const { return {}; }
  // Says that nothing more will come, and closes.
  boost::asio::awaitable<void> Finish(Farewell farewell);

  // Closes when the time has come; the latest call counts. Deadline::max() means never.
  void SetDeadline(Deadline deadline);
  void Close();
  [[nodiscard]] bool is_open() const { return socket_.is_open(); }
  [[nodiscard]] bool has_timed_out() const { return has_timed_out_; }
  // Nothing has arrived and the peer has not closed: only then may a resting connection be used.
  [[nodiscard]] bool IsQuiet();
  // Whether the peer will send nothing more behind what has arrived.
  [[nodiscard]] bool HasPeerClosed();
  [[nodiscard]] boost::asio::ip::tcp::socket& socket() { return socket_; }

 protected:
  virtual boost::asio::awaitable<void> SayGoodbye() = 0;

 private:
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer timer_;
  bool has_timed_out_ = false;
};

// What a client offers to speak.
enum class Offer : std::uint8_t { kHttp1, kHttp2OrHttp1 };

// Who is to be reached: sent as SNI and, if the context verifies, compared with the certificate.
[[nodiscard]] std::shared_ptr<Transport> MakePlain(boost::asio::ip::tcp::socket socket);
[[nodiscard]] std::shared_ptr<Transport> MakeTlsClient(boost::asio::ip::tcp::socket socket,
                                                       TlsContext context, std::string server_name,
                                                       Offer offer);
[[nodiscard]] std::shared_ptr<Transport> MakeTlsServer(boost::asio::ip::tcp::socket socket,
                                                       TlsContext context);

}  // namespace gs::http
