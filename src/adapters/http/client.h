// Client: requests to one origin (scheme, host and port) over connections that are kept. Where the
// server agrees during the TLS handshake, ordinary requests share a few connections with HTTP/2;
// streams have connections of their own with HTTP/1.1, as everything has elsewhere.
//
// What a request has caused is never guessed: see Outcome. Only what was not acted on is sent again
// (no byte has left, or an HTTP/2 server says so), and GET and HEAD when a kept connection turns
// out to be dead; once more, never twice. Exceptions of the libraries below end here.
//
// From any thread. The client works on one strand of its own, so what is called there must be
// short.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "adapters/http/message_parser.h"
#include "adapters/http/outcome.h"
#include "adapters/http/tls.h"
#include "adapters/http/url.h"
#include "adapters/runtime/io_threads.h"
#include "base/time.h"

namespace gs::http {

// Moments at which a test wants to stop the process or kill it; empty otherwise. Called on the
// client's strand.
struct ClientHooks {
  std::function<void(const Request&)> before_write;  // connected, and no byte is written yet
  std::function<void(const Request&, const Response&)> on_answer;  // complete, and told to nobody
};

struct ClientOptions {
  ClientTls tls;  // for https only
  Limits limits;
  // Requests at a time, the rest wait; streams do not count. While a server changes from one
  // protocol to the other, each has so many.
  std::size_t max_running = 32;
  Duration idle_timeout = std::chrono::seconds(60);  // then a kept connection is closed
  ClientHooks hooks;                                 // for tests
};

struct SendOptions {
  Duration timeout = std::chrono::seconds(30);  // for everything, waiting for a slot included
  std::stop_token stop;                         // cancels
};

struct StreamOptions {
  Duration head_timeout = std::chrono::seconds(30);  // until the head of the response is there
  Duration idle_timeout{0};                          // between two pieces of the body; 0: none
  std::stop_token stop;                              // cancels
  // Called once, on the client's strand, when the head of a 2xx answer is there.
  std::function<void(const Response& head)> on_head;
};

// Bytes of a 2xx body as they arrive, in pieces that mean nothing. False ends the stream. What is
// read while it works is limited, so that a slow reader slows the sender down.
using OnChunk = std::function<bool(std::string_view bytes)>;
using OnChunkAsync = std::function<boost::asio::awaitable<bool>(std::string_view bytes)>;

class Client {
 public:
  // Refuses TLS credentials that cannot be used. The threads must outlive the client and run.
  [[nodiscard]] static Result<std::unique_ptr<Client>> Create(runtime::IoThreads& threads,
                                                              Url origin,
                                                              const ClientOptions& options);
  // Cancels what is running.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  Client(Client&&) = delete;
  Client& operator=(Client&&) = delete;

  boost::asio::awaitable<Outcome> Send(Request request, SendOptions options = {});
  // A Response without a body, after its body has ended well or the reader had enough; with its
  // body where the status is not 2xx, since then nothing was streamed. Unknown when it broke off.
  boost::asio::awaitable<Outcome> Stream(Request request, StreamOptions options,
                                         OnChunkAsync on_chunk);

  // The same for threads without coroutines. Requires: not on one of the IoThreads. `on_chunk` runs
  // on the calling thread.
  [[nodiscard]] Outcome SendAndWait(Request request, SendOptions options = {});
  [[nodiscard]] Outcome StreamAndWait(Request request, StreamOptions options,
                                      const OnChunk& on_chunk);
  // Returns at once. `then` is called exactly once, on an I/O thread, or where these are destroyed.
  void SendThen(Request request, SendOptions options, std::function<void(Outcome)> then);

  // For connections from now on; resting ones are closed, and shared ones when nothing runs on
  // them. What is refused changes nothing.
  [[nodiscard]] Result<void> UseCredentials(const TlsCredentials& credentials);

 private:
  struct State;
  explicit Client(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;  // shared with the requests that are running
};

}  // namespace gs::http
