// A TLS server for tests that agrees to HTTP/2 and follows a script. Blocking sockets, a thread for
// each connection, so that nothing of what is tested is used to test it. Never shipped.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/test_http2_peer.h"
#include "adapters/http/test_peer.h"
#include "adapters/http/tls.h"

namespace gs::http {

// One connection, for the thread of its script.
class Http2Link {
 public:
  struct Tls;
  Http2Link(std::unique_ptr<Tls> tls, std::uint32_t max_streams);
  // Closes, without a goodbye.
  ~Http2Link();
  Http2Link(const Http2Link&) = delete;
  Http2Link& operator=(const Http2Link&) = delete;
  Http2Link(Http2Link&&) = delete;
  Http2Link& operator=(Http2Link&&) = delete;

  // Whether the client has offered and we have agreed.
  [[nodiscard]] bool speaks_http2() const;
  // Says what is to be said, and waits for a whole request; nothing at the end.
  [[nodiscard]] std::optional<SeenRequest> Next();
  // So many of them.
  [[nodiscard]] std::vector<SeenRequest> Next(std::size_t count);
  // Waits for one more reset of a stream by the client.
  [[nodiscard]] std::optional<std::pair<StreamId, std::uint32_t>> NextReset();
  // A ping and its answer: what the client had to say to all before is there then.
  void RoundTrip();
  // Reads until the client closes.
  void AwaitEnd();
  void Answer(StreamId stream, int status, std::string body, const Headers& headers = {});
  // Says what the peer was told to say.
  void Flush();
  // Without a goodbye of TLS.
  void Close();
  [[nodiscard]] Http2Peer& peer() { return peer_; }

  // For HTTP/1.1, and for what is neither.
  void Write(std::string_view bytes);
  [[nodiscard]] std::string ReadUntil(std::string_view end);

 private:
  // False at the end of the connection.
  bool Read(std::string& bytes);
  bool ReceiveMore();

  const std::unique_ptr<Tls> tls_;
  Http2Peer peer_;
  std::size_t resets_taken_ = 0;
  std::string buffer_;
};

class Http2Server {
 public:
  using Script = std::function<void(Http2Link& link, int connection)>;
  struct Options {
    std::uint32_t max_streams = 0;                 // 0: says nothing of a limit
    std::function<bool(int connection)> is_http2;  // empty: always, where the client offers it
  };

  Http2Server(const TlsCredentials& credentials, Script script, Options options);
  Http2Server(const TlsCredentials& credentials, Script script)
      : Http2Server(credentials, std::move(script), Options{}) {}
  // Ends after the connections that are being served.
  ~Http2Server();
  Http2Server(const Http2Server&) = delete;
  Http2Server& operator=(const Http2Server&) = delete;
  Http2Server(Http2Server&&) = delete;
  Http2Server& operator=(Http2Server&&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] int connections() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gs::http
