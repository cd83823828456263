// Server: accepts connections, reads requests within limits, and writes what a handler answers. It
// knows no paths: routing is the handler's business.
//
// From any thread. Every connection has a strand of its own; the handler runs there, so handlers of
// different connections run at the same time, those of one connection never do.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "adapters/http/message_parser.h"
#include "adapters/http/tls.h"
#include "adapters/runtime/io_threads.h"
#include "base/time.h"

namespace gs::http {

// The open end of a streamed body.
class BodyWriter {
 public:
  virtual ~BodyWriter() = default;
  // False once the client is gone or too slow; then return. Empty pieces are skipped.
  virtual boost::asio::awaitable<bool> Write(std::string bytes) = 0;
  // Requested when the server shuts down: end the stream soon.
  [[nodiscard]] virtual std::stop_token stop() const = 0;
};

// Writes a body piece by piece, and returns when it has ended.
using StreamBody = std::function<boost::asio::awaitable<void>(BodyWriter&)>;

// What a handler answers: a response, the head of one and a function that streams its body, or
// nothing at all. With status 101 the stream is what follows in the other protocol, as it is.
struct Reply {
  Reply(Response whole) : response(std::move(whole)) {}  // NOLINT(google-explicit-constructor)
  Reply(Response head, StreamBody body) : response(std::move(head)), stream(std::move(body)) {}

  // Closes the connection without a word, as a server that dies in mid-request does.
  [[nodiscard]] static Reply Silence() {
    Reply none{Response{}};
    none.is_silent = true;
    return none;
  }

  Response response;
  StreamBody stream;
  bool is_silent = false;
  bool is_last = false;  // tells the client to use the connection no more, and closes it
};

// An exception becomes 500. For HEAD answer as for GET: the body is left out.
using Handler = std::function<boost::asio::awaitable<Reply>(Request)>;

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
  std::optional<ServerTls> tls;
  Limits limits{.max_head_bytes = std::size_t{32} << 10, .max_body_bytes = std::size_t{8} << 20};
  std::size_t max_connections = 1024;  // one more is closed at once
  // A client that takes longer is cut off without an answer.
  Duration head_timeout = std::chrono::seconds(10);  // TLS handshake; first to last byte of a head
  Duration body_timeout = std::chrono::seconds(30);
  Duration write_timeout = std::chrono::seconds(30);  // a response, or one piece of a stream
  Duration idle_timeout = std::chrono::seconds(120);  // between requests
};

class Server {
 public:
  // Listens when it returns. The threads must outlive the server; what the handler refers to must
  // live until they have stopped.
  [[nodiscard]] static Result<std::unique_ptr<Server>> Start(runtime::IoThreads& threads,
                                                             ServerOptions options,
                                                             Handler handler);
  // Shuts down without grace.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  Server(Server&&) = delete;
  Server& operator=(Server&&) = delete;

  [[nodiscard]] std::uint16_t port() const;

  // For connections from now on; the others stay. Requires: started with TLS.
  [[nodiscard]] Result<void> UseCredentials(const TlsCredentials& credentials);

  // Accepts nothing more, closes resting connections, tells streams to end, waits for running
  // requests, and closes what is left after `grace`. Requires: not on one of the IoThreads.
  void Shutdown(Duration grace);

 private:
  struct State;
  explicit Server(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;  // shared with the connections
};

}  // namespace gs::http
